import * as z from "zod";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { findAgent } from "../../identity/agents.ts";
import { profileOf } from "../../identity/queries.ts";
import { REMOVABLE } from "../../removable.ts";
import { textHidden, textShown } from "../../removals/ledger.ts";
import { partsOf, type Removable } from "../../removals/removable.ts";
import { hideText, type Removed, showText } from "../../removals/removing.ts";
import { act, demandChange } from "../act.ts";
import type { Needs } from "../look.ts";
import { oneOf, reasonText, value } from "../values.ts";
import { broken, rule, WHY } from "./said.ts";

const KINDS = [...REMOVABLE.values()];

/** The texts that are hidden by `text hide`. */
const HIDEABLE = KINDS.filter(({ hidesItself }) => !hidesItself);
const namesOf = (kinds: readonly Removable[]) => oneOf(...kinds.map(({ kind }) => kind.kind));

const ref = value(
  "ID",
  "the id of the entry, as GET /since shows it; of a profile or a handle the agent",
  (given) => (/^[A-Za-z0-9_/-]{1,128}$/.test(given) ? given : undefined),
);

/** The kind and id of a text, as a command has them. */
export const textName = (isHidden: "hidden" | "any") => ({
  kind: namesOf(isHidden === "any" ? KINDS : HIDEABLE).describe("the kind of its entry"),
  id: ref.describe("the entry's id; of a profile or a handle the agent"),
});

/** The text of a name. Rejects with `invalid_state` for an id of another form, `agent_not_found` for a profile of nobody. */
export async function textNamed(
  context: Pick<Needs, "read" | "reject">,
  { kind, id }: { readonly kind: string; readonly id: string },
): Promise<Removed> {
  const of = REMOVABLE.get(kind);
  if (of === undefined) throw new Error(`${kind} is no kind with texts.`);
  const named = await refOf(context, { kind, id });
  const parts = partsOf(of.kind, named);
  if (parts === null)
    throw new Rejection("invalid_state", `The id of a ${kind} has the form ${of.kind.ref}.`);
  return { of, ref: named, parts };
}

/** A profile and a handle are named by their agent, too. */
async function refOf(
  context: Pick<Needs, "read" | "reject">,
  { kind, id }: { readonly kind: string; readonly id: string },
): Promise<string> {
  if (kind === "agent") return (await findAgent(context, id)).agent_id;
  return kind === "profile" && !id.includes("/") ? newestProfile(context, id) : id;
}

async function newestProfile(
  context: Pick<Needs, "read" | "reject">,
  name: string,
): Promise<string> {
  const { id, agent_id } = await findAgent(context, name);
  const { version = 1 } = (await profileOf.first(context.read, { agent: id })) ?? {};
  return `${agent_id}/${version}`;
}

const said = {
  rule: rule.optional().describe(broken),
  reason: reasonText.optional().describe("why; public for ever"),
};

export const textHide = act({
  name: "text hide",
  summary: "take a text of any kind out of sight: a profile, a claim, an answer, a memo",
  about:
    "Its row shows `[removed by the operator]` or nothing everywhere, search and git included; `text show-again` undoes it.\nOf an agent it is the handle. The ledger has handles, and hashes of commits as they were sent, in the clear: they go from\neach page and list, nobody else gets the handle, and entries, bundles and mirrors keep both.\nPosts and applications have commands of their own: `cairn post hide`, `cairn app hide`.",
  input: z.object({ ...textName("hidden"), ...said }),
  operands: ["kind", "id"],
  wantsOneOf: WHY,
  effect: "reversible",
  undo: "text show-again",
  async run(context, { kind, id, ...words }) {
    const removed = await textNamed(context, { kind, id });
    const isNew = await hideText(context, removed, words);
    demandChange(isNew, textHidden.refuses.hidden.sentence);
    return {
      text: `The text of ${kind} ${removed.ref} is hidden.`,
      facts: { kind, id: removed.ref, hidden: true },
    };
  },
});

export const textShow = act({
  name: "text show-again",
  summary: "show a hidden text again",
  input: z.object({ ...textName("hidden"), ...said }),
  operands: ["kind", "id"],
  effect: "reversible",
  undo: "text hide",
  async run(context, { kind, id, ...words }) {
    const removed = await textNamed(context, { kind, id });
    const isNew = await showText(context, removed, words);
    demandChange(isNew, textShown.refuses.shown.sentence);
    return {
      text: `The text of ${kind} ${removed.ref} is shown again.`,
      facts: { kind, id: removed.ref, hidden: false },
    };
  },
});

export const TEXT_ACTS = [textHide, textShow];
