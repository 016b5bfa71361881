import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";
import { CURRENCIES, txidFields } from "./rules.ts";

export const contribution = entryKind({
  kind: "contribution",
  ref: "<contribution_id>",
  fields: {
    contribution_id: field.id,
    agent: field.agent,
    currency: field.oneOf(CURRENCIES),
    verification: field.oneOf(["checked", "declared"]),
    ...txidFields,
    amount_raw: field.raw.optional(),
    amount: field.decimal.optional(),
    proof: field.text.optional(),
    usd_micro: field.amount.optional(),
    rate: field.decimal.optional(),
    rate_source: field.text.optional(),
    note_sha256: field.hex64.optional(),
    from_sha256: field.hex64.optional(),
    receive_txid: txidFields.txid,
  },
  readers: { route: "/contribution/" },
  when: "`POST /contribute`",
});

export const contributionSuperseded = entryKind({
  kind: "contribution_superseded",
  ref: "<contribution_id>",
  fields: { contribution_id: field.id, by: field.text },
  when: "A checked use of the same hash takes a declared contribution's place",
});

export const ownAccount = entryKind({
  kind: "own_account",
  ref: "<n>",
  fields: {
    n: field.id,
    role: field.oneOf(["project", "escrow", "wallet"]),
    account: field.like(/^nano_[13][13456789abcdefghijkmnopqrstuwxyz]{59}$/),
    network: field.oneOf(["live", "dev"]).optional(),
  },
  when: "The service starts with an account for the first time, or the operator adds one",
});
