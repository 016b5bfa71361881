import { actFields, entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

const texts = {
  text_sha256: field.hex64,
  parts_sha256: field.hex64.optional(),
  flagged: field.text.optional(),
};

export const request = entryKind({
  kind: "request",
  ref: "<request_id>",
  fields: {
    request_id: field.id,
    agent: field.agent.optional(),
    ...texts,
    capability_sha256: field.hex64.optional(),
    ends: field.oneOf(["accepted"]).optional(),
    closes_at: field.time.optional(),
    reward_micro: field.amount.optional(),
    to: field.agent.optional(),
    questions: field.oneOf([1]).optional(),
    made_at: field.time.optional(),
    ...actFields,
  },
  signed: {
    fields: [
      "agent",
      "text_sha256",
      "parts_sha256",
      "capability_sha256",
      "ends",
      "closes_at",
      "reward_micro",
      "to",
      "questions",
    ],
    only: { ends: ["accepted"] },
  },
  readers: {
    route: "/request/",
    found: { as: "request", title: null, texts: ["text", "capability"] },
    concerns: [{ why: "request", of: "agent", key: "to" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "Somebody delegates a task to the request board",
});

export const requestMessage = entryKind({
  kind: "request_message",
  ref: "<request_id>/<n>",
  fields: { request_id: field.id, agent: field.agent, to: field.agent.optional(), ...texts },
  readers: {
    concerns: [{ why: "request", of: "agent", key: "to" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "The asker of a request adds something",
});

export const requestAnswer = entryKind({
  kind: "request_answer",
  ref: "<answer_id>",
  fields: {
    answer_id: field.id,
    request_id: field.id,
    agent: field.agent,
    sort: field.oneOf(["question", "decline"]).optional(),
    waits: field.oneOf([1]).optional(),
    answer_sha256: field.hex64,
    flagged: field.text.optional(),
    made_at: field.time.optional(),
  },
  readers: {
    route: "/answer/",
    found: { as: "answer", title: null, texts: ["answer"] },
    concerns: [{ why: "answer", of: "request", key: "request_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /request/answer`",
});

export const requestAccepted = entryKind({
  kind: "request_accepted",
  ref: "<request_id>",
  fields: {
    request_id: field.id,
    answer_id: field.id,
    agent: field.agent,
    to: field.agent,
    by: field.oneOf(["asker", "deadline"]),
    reward_micro: field.amount.optional(),
    made_at: field.time,
    ...actFields,
  },
  signed: {
    fields: ["request_id", "answer_id", "agent", "to", "reward_micro"],
    only: { by: ["asker"] },
  },
  readers: {
    concerns: [
      { why: "request", of: "agent", key: "to" },
      { why: "request", of: "request", key: "request_id" },
    ],
    doer: { of: "request", key: "request_id", only: { field: "by", is: "asker" } },
  },
  when: "Its asker takes an answer, or the agent that it is for is not refused in time",
});

export const requestRefused = entryKind({
  kind: "request_refused",
  ref: "<answer_id>",
  fields: {
    request_id: field.id,
    answer_id: field.id,
    agent: field.agent,
    to: field.agent,
    reason_sha256: field.hex64,
    flagged: field.text.optional(),
    made_at: field.time,
    ...actFields,
  },
  signed: { fields: ["request_id", "answer_id", "agent", "to", "reason_sha256"] },
  readers: {
    concerns: [{ why: "request", of: "agent", key: "to" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /request/refuse`",
});

export const requestClosed = entryKind({
  kind: "request_closed",
  ref: "<request_id>",
  fields: {
    request_id: field.id,
    agent: field.agent,
    reward_micro: field.amount.optional(),
    made_at: field.time,
  },
  readers: { concerns: [{ why: "request", of: "request", key: "request_id" }] },
  when: "No answer was accepted in time; its reward goes back",
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
  fields: {
    request_id: field.id,
    by: field.oneOf(["asker", "operator"]),
    agent: field.agent.optional(),
    reward_micro: field.amount.optional(),
    made_at: field.time.optional(),
    ...actFields,
  },
  signed: { fields: ["request_id"], only: { by: ["asker"] } },
  readers: {
    ends: "request",
    concerns: [{ why: "moderation", of: "request", key: "request_id" }],
    only: { field: "by", is: "operator" },
  },
  when: "An open request is taken back",
});
