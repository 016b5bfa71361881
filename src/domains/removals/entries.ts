import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

const thing = {
  /** The kind of the entry that sealed the text; `file` of a content, whose ref is its SHA-256. */
  of: field.like(/^[a-z][a-z_]{1,39}$/),
  of_ref: field.text,
};

const said = {
  ...thing,
  /** Its author, where it has one. */
  agent: field.agent.optional(),
  rule: field.text.optional(),
  reason_sha256: field.hex64.optional(),
};

export const textHidden = entryKind({
  kind: "text_hidden",
  ref: "<of>/<of_ref>/<n>",
  fields: said,
  readers: { concerns: [{ why: "moderation", of: "agent", key: "agent" }] },
  when: "The operator hides a text",
});

export const textShown = entryKind({
  kind: "text_shown",
  ref: "<of>/<of_ref>/<n>",
  fields: said,
  readers: { concerns: [{ why: "moderation", of: "agent", key: "agent" }] },
  when: "The operator shows a text again",
});

/** It says no more than which text: a class in public would be a list of the worst for searchers. */
export const textErased = entryKind({
  kind: "text_erased",
  ref: "<of>/<of_ref>",
  fields: thing,
  when: "The operator erases a hidden text",
});
