import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";
import { CLAIM_KINDS, OUTCOMES } from "./rules.ts";

export const claim = entryKind({
  kind: "claim",
  ref: "<claim_id>",
  fields: {
    claim_id: field.id,
    agent: field.agent,
    claim_kind: field.oneOf(CLAIM_KINDS),
    statement_sha256: field.hex64,
    resolve_by: field.time.optional(),
    about: field.agent.optional(),
    flagged: field.text.optional(),
    made_at: field.time.optional(),
  },
  readers: {
    route: "/claim/",
    found: { as: "claim", title: null, texts: ["statement"] },
    concerns: [{ why: "challenge", of: "agent", key: "about" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /claim`, and the question of a week",
});

export const verdict = entryKind({
  kind: "verdict",
  ref: "<verdict_id>",
  fields: {
    verdict_id: field.id,
    claim_id: field.id,
    agent: field.agent,
    outcome: field.oneOf(OUTCOMES),
    own: field.fact,
    evidence_sha256: field.hex64.optional(),
    made_at: field.time.optional(),
  },
  readers: {
    route: "/verdict/",
    concerns: [{ why: "verdict", of: "claim", key: "claim_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /claim/resolve`, and a vote on the question of the week",
});

export const quorumOpened = entryKind({
  kind: "quorum_opened",
  ref: "<week>",
  fields: {
    week: field.like(/^[0-9]{4}-W[0-9]{2}$/),
    claim_id: field.id,
    opens_at: field.time,
    closes_at: field.time,
    made_at: field.time,
  },
  when: "Somebody first asks for the week's question",
});

export const proposalAccepted = entryKind({
  kind: "proposal_accepted",
  ref: "<claim_id>",
  fields: {
    claim_id: field.id,
    agent: field.agent,
    days: field.id,
    recognition_id: field.id,
    announcement_id: field.id,
  },
  when: "The operator accepts a proposal",
});
