import { Rejection } from "../../kernel/contract/errors.ts";
import { type Html, html } from "../../kernel/html.ts";
import type { Act } from "../../operator/act.ts";
import { ACTS } from "../../operator/acts/acts.ts";
import { csrfOf, type Result, type Session } from "./access.ts";
import { actForm, type Sent, valuesOf } from "./form.ts";
import type { ConsoleParts } from "./parts.ts";

const BY_NAME: ReadonlyMap<string, Act> = new Map(ACTS.map((act) => [act.name, act]));
const FROM = /^[a-z/-]*(?:\?[\w=&.%-]*)?$/;

/** Runs an act with what a form sent. Rejects when it is refused; then nothing was changed. */
export async function doAct(
  { context, acted }: Pick<ConsoleParts, "context" | "acted">,
  name: string,
  sent: Sent,
): Promise<Result> {
  const act = BY_NAME.get(name);
  if (act === undefined) throw new Rejection("not_found", "There is no such act.");
  demandSure(act, sent);
  if (act.commandOnly?.some((key) => (sent[key] ?? "") !== ""))
    throw new Rejection("validation_failed", `Record that with \`cairn ${name}\`.`);
  const read = valuesOf(act.input, sent);
  if ("problem" in read) throw new Rejection("validation_failed", read.problem);
  const { text } = await act.run(context, read.values);
  acted(name);
  const from = sent["from"] ?? "";
  return { text, from: FROM.test(from) ? from : "" };
}

/** Refuses what nothing undoes, unless the form says that it is meant: of money by the id, typed once more. */
function demandSure({ effect, operands: [operand = ""] = [] }: Act, sent: Sent): void {
  if (effect === "final" && sent["sure"] !== "on")
    throw new Rejection("validation_failed", "Tick the box: this is public for ever.");
  if (effect === "money" && (sent["sure"] ?? "").trim() !== sent[operand]?.trim())
    throw new Rejection("validation_failed", `Type the ${operand}'s id once more to record this.`);
}

/** The forms of what may be done to what a page shows. */
export const actForms = (
  acts: readonly Act[],
  { random }: Pick<ConsoleParts, "random">,
  session: Session,
  { sent, from }: { readonly sent: Sent; readonly from: string },
): readonly Html[] =>
  acts.map((act) => {
    const nonce = Buffer.from(random(16)).toString("hex");
    return actForm({ act, sent, csrf: csrfOf(session, act.name), nonce, from });
  });

interface Refused {
  readonly session: Session;
  readonly name: string;
  readonly sent: Sent;
  readonly problem: Rejection;
}

/** A refused form, with its sentence and its values. */
export function actPage({ session, name, sent, problem }: Refused): Html {
  const act = BY_NAME.get(name);
  const details = (problem.details ?? []).map(
    ({ field, problem: what }) => html`<li>${field}: ${what}</li>`,
  );
  const { nonce = "", from = "" } = sent;
  const form =
    act === undefined
      ? null
      : actForm({
          act,
          sent,
          csrf: csrfOf(session, name),
          nonce,
          from: FROM.test(from) ? from : "",
        });
  return html`<div class="state bad"><strong class="bad">Nothing was changed.</strong> ${problem.message}${details.length === 0 ? null : html`<ul>${details}</ul>`}</div>${form}`;
}

/** The page of a result. */
export async function donePage(session: Session, nonce: string) {
  const result = session.results.get(nonce);
  if (result === undefined) throw new Rejection("not_found", "This result is not known any more.");
  const { text, from } = await result;
  return {
    title: "Done",
    main: html`<p class="state" role="status">${text}</p><p><a href="${from}">Back</a></p>`,
  };
}
