import {
  begins,
  drawn,
  each,
  sealed,
  sealedLater,
  text,
  time,
  unsealed,
} from "../../platform/ledger/rows/columns.ts";
import {
  changes,
  makes,
  OVER,
  ownStatement,
  ownStatements,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

const entitlements = table(
  "coin_entitlement",
  {
    id: drawn("entitlement_id"),
    agent_id: sealed("agent"),
    amount: sealed("amount_micro"),
    why: sealed("why"),
    source: sealed("source"),
    granted_at: sealed("granted_at"),
    matures_at: sealed("matures_at"),
    expires_at: sealed("expires_at"),
    state: begins("live"),
    coin_claim_id: sealedLater(null),
  },
  { named: "entitlement" },
);

const collections = table(
  "coin_claim",
  {
    id: drawn("coin_claim_id"),
    agent_id: sealed("agent"),
    amount: sealed("amount_micro"),
    count: sealed("count"),
    created_at: time,
  },
  { named: "collection" },
);

const transfers = table(
  "coin_transfer",
  {
    id: drawn("transfer_id"),
    from_agent: sealed("from"),
    to_agent: sealed("to"),
    amount: sealed("amount_micro"),
    memo: text("memo_sha256"),
    client_ref: unsealed("private"),
    created_at: time,
  },
  { named: "transfer" },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  coinReward: [makes(entitlements)],
  coinClaim: [
    makes(collections),
    ownStatement(
      "one statement credits all that an agent can collect",
      changes(
        entitlements,
        { state: "credited", coin_claim_id: sealed("coin_claim_id") },
        { key: { id: each("entitlements") } },
      ),
    ),
  ],
  coinExpire: [
    changes(
      entitlements,
      { state: "expired", coin_claim_id: null },
      { key: { id: sealed("entitlement_id") }, only: { state: "live", expires_at: OVER } },
    ),
  ],
  coinTransfer: ownStatements(
    "on PostgreSQL one statement makes a group of transfers, and changes the balances with them",
    [makes(transfers)],
  ),
});
