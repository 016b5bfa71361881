import { accountKey } from "../../platform/chain/account.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import {
  agent,
  drawn,
  made,
  sealed,
  sealedLater,
  text,
  time,
} from "../../platform/ledger/rows/columns.ts";
import {
  changes,
  makes,
  ownStatements,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";
import { transferName } from "./transfer-name.ts";

const contributions = table("contribution", {
  id: drawn("contribution_id"),
  agent: agent("agent"),
  currency: sealed("currency"),
  txid: transferName,
  receive_hash: sealed("receive_txid"),
  // A declared one has in its entry the amount that was named, a checked one the raw that the chain showed.
  amount: made(
    "sealed",
    ({ amount }) => amount,
    ({ body: { amount, amount_raw } }) =>
      amount_raw === undefined ? (amount ?? null) : xnoOf(BigInt(amount_raw)),
  ),
  amount_raw: sealed("amount_raw"),
  usd_micro: sealed("usd_micro"),
  rate: sealed("rate"),
  rate_source: sealed("rate_source"),
  proof: sealed("proof"),
  note: text("note_sha256"),
  created_at: time,
  superseded_by: sealedLater(null),
});

const accounts = table(
  "own_account",
  {
    key: made(
      "sealed",
      ({ key }) => key,
      ({ body }) => accountKey(`${body["account"]}`),
    ),
    account: sealed("account"),
    role: sealed("role"),
    n: sealed("n"),
    since: time,
  },
  { key: ["account"] },
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  contribution: ownStatements(
    "its transfer gets its use between them: that takes the number of the row, and has an entry where another makes way",
    [makes(contributions)],
  ),
  contributionSuperseded: [
    changes(contributions, { superseded_by: sealed("by") }, { only: { superseded_by: null } }),
  ],
  ownAccount: [makes(accounts, { unless: ["key"] })],
});
