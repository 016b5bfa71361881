import { entryKind, field } from "../kernel/contract/entry-kind.ts";

const texts = {
  text_sha256: field.hex64,
  parts_sha256: field.hex64.optional(),
  flagged: field.text.optional(),
};

export const request = entryKind({
  kind: "request",
  ref: "<request_id>",
  fields: { request_id: field.id, agent: field.agent.optional(), ...texts },
  when: "Somebody delegates a task to the request board",
});

export const requestMessage = entryKind({
  kind: "request_message",
  ref: "<request_id>/<n>",
  fields: { request_id: field.id, agent: field.agent, ...texts },
  when: "The asker of a request adds something",
});

export const requestAnswer = entryKind({
  kind: "request_answer",
  ref: "<answer_id>",
  fields: {
    answer_id: field.id,
    request_id: field.id,
    agent: field.agent,
    own: field.fact,
    open: field.fact.optional(),
    answer_sha256: field.hex64,
    flagged: field.text.optional(),
  },
  when: "`POST /request/answer`",
});

export const requestWanted = entryKind({
  kind: "request_wanted",
  ref: "<request_id>/<n>",
  fields: { request_id: field.id, agent: field.agent, wanted: field.fact },
  when: "`POST /request/want`",
});

export const requestWithdrawn = entryKind({
  kind: "request_withdrawn",
  ref: "<request_id>",
  fields: { request_id: field.id, by: field.oneOf(["asker", "operator"]) },
  when: "An open request is taken back",
});
