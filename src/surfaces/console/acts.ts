import type { Act, Done } from "../../domains/operator/act.ts";
import { ACTS } from "../../domains/operator/acts/acts.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { type Html, html } from "../../platform/kernel/html.ts";
import { csrfOf, type Result, type Session } from "./access.ts";
import { actForm, type BulkForm, bulkForm, PICKED, type Sent, undoForm, valuesOf } from "./form.ts";
import type { ConsoleParts } from "./parts.ts";
import { slugOf, withCommands } from "./view.ts";

const BY_NAME: ReadonlyMap<string, Act> = new Map(ACTS.map((act) => [act.name, act]));
/** The name of the act whose form is sent to a path; empty for none. */
export const actAt = (path: string): string =>
  ACTS.find(({ name }) => path === `act/${slugOf(name)}`)?.name ?? "";

const FROM = /^[a-z/-]*(?:\?[\w=&.%+-]*)?$/;

/** Runs an act with what a form sent. Rejects when it is refused; then nothing was changed. */
export async function doAct(
  { context, acted }: Pick<ConsoleParts, "context" | "acted">,
  name: string,
  sent: Sent,
): Promise<Result> {
  const act = BY_NAME.get(name);
  if (act === undefined) throw new Rejection("not_found", "There is no such act.");
  demandSure(act, sent);
  if (act.wantsOneOf?.every((key) => (sent[key] ?? "").trim() === ""))
    throw new Rejection("validation_failed", `Give ${act.wantsOneOf.join(" or ")}: it is public.`);
  if (act.commandOnly?.some((key) => (sent[key] ?? "") !== ""))
    throw new Rejection("validation_failed", `Record that with \`cairn ${name}\`.`);
  const from = sent["from"] ?? "";
  const back = (what: Sent) => (act.undo === undefined ? null : { name: act.undo, sent: what });
  const done = { from: FROM.test(from) ? from : "", undo: back(sent), next: null };
  if (sent[PICKED] !== undefined) {
    const { text, picked } = await doMany({ context, acted }, act, sent);
    return { ...done, text, undo: picked === "" ? null : back({ ...sent, [PICKED]: picked }) };
  }
  const read = valuesOf(act.input, sent);
  if ("problem" in read) throw new Rejection("validation_failed", read.problem);
  const { text, next } = await act.run(context, read.values);
  await acted({ name, values: ofAct(act, sent), result: text });
  return { ...done, text, next: next === undefined ? null : linkTo(next) };
}

const linkTo = ({ title, look, given }: NonNullable<Done["next"]>): Result["next"] => ({
  title,
  to: `look/${slugOf(look)}?${new URLSearchParams(given)}`,
});

/** The values of an act among what its form sent. */
const ofAct = ({ input }: Act, sent: Sent): Sent =>
  Object.fromEntries(
    Object.entries(sent).filter(
      ([key, value]) => (key in input.shape || key === PICKED) && value !== "",
    ),
  );

/** Things that one form acts on; a page of groups may have more. */
const PICKED_MAX = 1_000;

/** Does an act on each thing that is ticked, in a write of its own; what refuses it, or leaves something to do, is named. */
async function doMany(
  { context, acted }: Pick<ConsoleParts, "context" | "acted">,
  act: Act,
  sent: Sent,
): Promise<{ readonly text: string; readonly picked: string }> {
  const [operand = ""] = act.operands ?? [];
  const said: string[] = [];
  const done: string[] = [];
  const all = (sent[PICKED] ?? "").split(",");
  for (const picked of all.slice(0, PICKED_MAX)) {
    const read = valuesOf(act.input, { ...sent, [operand]: picked });
    if ("problem" in read) throw new Rejection("validation_failed", read.problem);
    try {
      const { left } = await act.run(context, read.values);
      done.push(picked);
      if (left !== undefined) said.push(left);
    } catch (error) {
      if (!(error instanceof Rejection) || error.status >= 500) throw error;
      said.push(`${picked}: ${error.message}`);
    }
  }
  const left = all.length - PICKED_MAX;
  const more = left > 0 ? [`${left} more were left as they are: repeat it for them.`] : [];
  const text = [`${act.name}: ${done.length} done.`, ...more, ...said].join("\n");
  const values = { ...ofAct(act, sent), [PICKED]: done.join(",") };
  if (done.length > 0) await acted({ name: act.name, values, result: text });
  return { text, picked: done.join(",") };
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

/** The form that acts on what is ticked in a list. */
export const bulkFormOf = (
  act: Act,
  { random }: Pick<ConsoleParts, "random">,
  session: Session,
  { id, from, given }: Pick<BulkForm, "id" | "from" | "given">,
): Html =>
  bulkForm({
    act,
    csrf: csrfOf(session, act.name),
    from,
    id,
    given,
    nonce: Buffer.from(random(16)).toString("hex"),
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
  return html`<div class="state bad"><strong class="bad">Nothing was changed.</strong> ${withCommands(problem.message)}${details.length === 0 ? null : html`<ul>${details}</ul>`}</div>${form}`;
}

/** The page of a result. */
export async function donePage(
  { random, mode }: Pick<ConsoleParts, "random" | "mode">,
  session: Session,
  nonce: string,
) {
  const result = session.results.get(nonce);
  if (result === undefined) throw new Rejection("not_found", "This result is not known any more.");
  const { text, from, undo, next: goesOn } = await result;
  const act = undo === null ? undefined : BY_NAME.get(undo.name);
  const back = undo !== null && act !== undefined && mode === "act";
  const form = back
    ? undoForm({
        act,
        sent: undo.sent,
        csrf: csrfOf(session, act.name),
        from,
        nonce: Buffer.from(random(16)).toString("hex"),
      })
    : null;
  const next =
    goesOn !== null
      ? html` <a href="${goesOn.to}">${goesOn.title}</a>`
      : from.startsWith("look/report-")
        ? html` <a href="look/report-list">The reports that wait</a>`
        : null;
  return {
    title: "Done",
    main: html`<p class="state" role="status">${withCommands(text)}</p>${form}<p><a href="${from}">Back</a>${next}</p>`,
  };
}
