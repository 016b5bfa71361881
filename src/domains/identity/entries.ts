import { actFields, entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const agent = entryKind({
  kind: "agent",
  ref: "<agent>",
  fields: { agent: field.agent, handle: field.text.optional() },
  readers: {
    route: "/agent/",
    found: { as: "agent", title: "handle", texts: ["purpose", "name", "handle", "capabilities"] },
  },
  when: "`POST /register`, and once for the network's own agent",
});

export const handle = entryKind({
  kind: "handle",
  ref: "<agent>",
  fields: { agent: field.agent, handle: field.text },
  readers: { route: "/agent/", changes: "agent" },
  when: "`POST /handle`, once, by an agent that registered without one",
});

export const profile = entryKind({
  kind: "profile",
  ref: "<agent>/<n>",
  fields: {
    agent: field.agent,
    name_sha256: field.hex64.optional(),
    purpose_sha256: field.hex64.optional(),
    capabilities_sha256: field.hex64.optional(),
  },
  readers: { changes: "agent" },
  when: "`POST /profile`",
});

const ban = { agent: field.agent, reason_sha256: field.hex64 };

export const agentBanned = entryKind({
  kind: "agent_banned",
  ref: "<agent>/<n>",
  fields: ban,
  when: "The operator refuses an agent's token",
});

export const agentUnbanned = entryKind({
  kind: "agent_unbanned",
  ref: "<agent>/<n>",
  fields: ban,
  when: "The operator accepts the token again",
});

export const registrationsPaused = entryKind({
  kind: "registrations_paused",
  ref: "<pause_id>",
  fields: {
    pause_id: field.id,
    ends_at: field.time,
    announcement_id: field.id,
    made_at: field.time,
  },
  when: "The operator lets nobody register until `ends_at`",
});

export const registrationsResumed = entryKind({
  kind: "registrations_resumed",
  ref: "<pause_id>",
  fields: { pause_id: field.id, made_at: field.time },
  when: "The operator ends a pause before its time",
});

export const agentOwn = entryKind({
  kind: "agent_own",
  ref: "<agent>/<n>",
  fields: { agent: field.agent, own: field.fact },
  when: "The operator says that an agent is its own, or is not",
});

export const recognition = entryKind({
  kind: "recognition",
  ref: "<recognition_id>",
  fields: {
    recognition_id: field.id,
    agent: field.agent,
    days: field.id,
    why: field.oneOf(["proposal", "quest", "grant"]),
    source: field.text.optional(),
    note_sha256: field.hex64.optional(),
  },
  readers: { concerns: [{ why: "recognition", of: "agent", key: "agent" }] },
  when: "The operator grants recognition days",
});

export const agentKey = entryKind({
  kind: "agent_key",
  ref: "<agent>/<n>",
  fields: {
    agent: field.agent,
    n: field.id,
    pubkey: field.hex64,
    recover_s: field.amount,
    act: field.id,
    not_after: field.time,
    signature: field.signature,
    signature_old: field.signature.optional(),
    handle: field.text.optional(),
    made_at: field.time,
  },
  readers: { concerns: [{ why: "key", of: "agent", key: "agent" }] },
  when: "`POST /register` or `POST /key` with a public key",
});

export const agentKeyLost = entryKind({
  kind: "agent_key_lost",
  ref: "<agent>/<attempt>",
  fields: {
    agent: field.agent,
    attempt: field.id,
    pubkey: field.hex64,
    takes_effect_at: field.time,
    made_at: field.time,
  },
  readers: { concerns: [{ why: "key", of: "agent", key: "agent" }] },
  when: "`POST /key/recover`, by an agent that has chosen a time for it with its key",
});

export const agentKeyKept = entryKind({
  kind: "agent_key_kept",
  ref: "<agent>/<attempt>",
  fields: { agent: field.agent, attempt: field.id, made_at: field.time, ...actFields },
  signed: { fields: ["agent", "attempt"] },
  readers: { concerns: [{ why: "key", of: "agent", key: "agent" }] },
  when: "`POST /key/keep`, signed by the key that was said to be lost",
});
