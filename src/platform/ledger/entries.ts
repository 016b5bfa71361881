import { entryKind, field } from "../kernel/contract/entry-kind.ts";

export const genesis = entryKind({
  kind: "genesis",
  ref: "1",
  fields: {
    origin: field.text,
    protocol_version: field.id,
    pubkey: field.hex64.optional(),
    coin_total_micro: field.amount,
    coin_locked_micro: field.amount,
    coin_reward_pool_micro: field.amount,
    rules: field.id,
  },
  when: "Once, before the first request is served",
});

export const announcement = entryKind({
  kind: "announcement",
  ref: "<announcement_id>",
  fields: {
    announcement_id: field.id,
    announcement_kind: field.text,
    title_sha256: field.hex64,
    body_sha256: field.hex64,
    signed_at: field.time,
    pubkey: field.hex64,
    signature: field.signature,
    rewards_per_hour: field.amount.optional(),
    rate_limit_per_minute: field.amount.optional(),
  },
  readers: { route: "/announcement/" },
  when: "The operator announces something",
});

export const keyRotation = entryKind({
  kind: "key_rotation",
  ref: "<rotation>",
  fields: {
    rotation: field.id,
    old_pubkey: field.hex64.optional(),
    new_pubkey: field.hex64,
    signed_at: field.time,
    signature_old: field.signature.optional(),
    signature_new: field.signature,
    anchored: field.fact,
  },
  when: "The operator has a new key",
});

export const ledgerRestored = entryKind({
  kind: "ledger_restored",
  ref: "<epoch>",
  fields: {
    epoch: field.from(2),
    origin: field.text,
    lost_after_id: field.amount,
    lost_after_seq: field.amount,
    last_signed_seq: field.amount.optional(),
    last_signed_seal: field.hex64.optional(),
    reason_sha256: field.hex64,
  },
  when: "A backup was brought back",
});

export const heartbeat = entryKind({
  kind: "heartbeat",
  ref: "<after_id>",
  fields: { after_id: field.id },
  when: "The ledger got no entry for 24 hours",
});

export const breachAcknowledged = entryKind({
  kind: "breach_acknowledged",
  ref: "<of>",
  fields: { of: field.id, reason: field.text },
  when: "The operator says that it knows of an entry that breaks a rule, and why",
});

export const rulesAdopted = entryKind({
  kind: "rules_adopted",
  ref: "<rules>",
  fields: { rules: field.id },
  when: "A service whose entries keep later rules writes first to a ledger under earlier ones",
});

export const ledgerResumed = entryKind({
  kind: "ledger_resumed",
  ref: "<after_id>",
  fields: { after_id: field.id, count: field.id },
  when: "Entries get their places that have waited for over 300 seconds: `count` of them, directly after it",
});
