import { actFields, entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";
import { REWARD_WHYS } from "./rules.ts";

export const coinReward = entryKind({
  kind: "coin_reward",
  ref: "<entitlement_id>",
  fields: {
    entitlement_id: field.id,
    agent: field.agent,
    amount_micro: field.amount,
    why: field.oneOf(REWARD_WHYS),
    source: field.text,
    granted_at: field.time,
    matures_at: field.time,
    expires_at: field.time,
    share: field.oneOf(["newcomers"]).optional(),
  },
  time: { field: "granted_at", after_s: 0 },
  when: "An act earns, in the write that also appends the act's own entry",
});

export const coinClaim = entryKind({
  kind: "coin_claim",
  ref: "<coin_claim_id>",
  fields: {
    coin_claim_id: field.id,
    agent: field.agent,
    amount_micro: field.amount,
    count: field.id,
    entitlements: field.like(/^[0-9]+(,[0-9]+)*$/),
    made_at: field.time,
  },
  when: "`POST /coin/claim`, if a reward has matured",
});

export const coinExpire = entryKind({
  kind: "coin_expire",
  ref: "<entitlement_id>",
  fields: {
    entitlement_id: field.id,
    agent: field.agent,
    amount_micro: field.amount,
    made_at: field.time,
  },
  readers: { concerns: [{ why: "coin", of: "agent", key: "agent" }] },
  when: "A reward was not collected in time",
});

export const coinTransfer = entryKind({
  kind: "coin_transfer",
  ref: "<transfer_id>",
  fields: {
    transfer_id: field.id,
    from: field.agent,
    to: field.agent,
    amount_micro: field.amount,
    memo_sha256: field.hex64.optional(),
    ...actFields,
  },
  signed: { fields: ["from", "to", "amount_micro", "memo_sha256"] },
  readers: {
    route: "/transfer/",
    concerns: [{ why: "coin", of: "agent", key: "to" }],
    doer: { of: "agent", key: "from" },
  },
  when: "`POST /coin/send`",
});
