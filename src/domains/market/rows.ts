import {
  agent,
  begins,
  byDefault,
  count,
  drawn,
  each,
  folded,
  kindName,
  laterOn,
  made,
  refName,
  sealed,
  sealedLater,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import {
  type Changes,
  changes,
  type FieldsGiven,
  makes,
  ownStatement,
  ownStatements,
  rowsOf,
  table,
  without,
} from "../../platform/ledger/rows/effects.ts";
import type { Row } from "../../platform/ledger/rows/told.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { rateText } from "../transfers/rules.ts";
import { transferName } from "../transfers/transfer-name.ts";
import { commitment } from "./commitment.ts";
import * as entries from "./entries.ts";
import type { MarketOrderTable } from "./tables.ts";

const offers = table(
  "market_offer",
  {
    id: drawn("offer_id"),
    agent: agent("agent"),
    capability: text("capability_sha256"),
    capability_folded: folded(),
    title: text("title_sha256"),
    description: text("description_sha256"),
    price_usd_micro: sealed("price_usd_micro"),
    sla_hours: sealed("sla_hours"),
    flagged: sealed("flagged"),
    flaggings: begins(0),
    unflaggings: begins(0),
    withdrawn_at: unset,
    listed: folded(),
    created_at: time,
  },
  { named: "offer" },
);

/** Why the operator flagged an offer, where words were said. */
const notices = table(
  "market_offer_notice",
  {
    kind: kindName,
    ref: refName,
    offer: sealed("offer_id"),
    reason: text("reason_sha256"),
  },
  { key: ["kind", "ref"] },
);
const isExplained = ({ reason_sha256 }: FieldsGiven) => reason_sha256 !== undefined;

/** Where sellers are paid to. */
const addresses = table(
  "market_payout_address",
  {
    agent: agent("agent"),
    n: count,
    address: text("address_sha256"),
    set_at: time,
    usable_from: sealed("usable_from"),
    superseded: folded(),
  },
  { key: ["agent", "n"] },
);

/** The parties' own rows of the orders. */
const orders = table(
  "market_order",
  {
    id: drawn("order_id"),
    offer: sealed("offer_id"),
    buyer: agent("buyer"),
    seller: agent("seller"),
    price_usd_micro: sealed("price_usd_micro"),
    sla_hours: sealed("sla_hours"),
    base_raw: folded("sealed"),
    due_raw: sealed("due_raw"),
    rate_e8: made(
      "sealed",
      ({ rate_e8 }) => rateText(BigInt(rate_e8 ?? 0)),
      ({ body }) => body["rate"],
    ),
    rate_source: sealed("rate_source"),
    escrow_address: sealed("escrow"),
    refund_address: text("refund_address_sha256"),
    state: folded(),
    state_since: folded("timed"),
    received_raw: folded(),
    escrow_raw: folded(),
    expires_at: sealed("expires_at"),
    paid_at: unset,
    deliver_by: sealedLater(null),
    refund_at: sealedLater(null),
    accept_by: sealedLater(null),
    held_until: folded(),
    payments: begins(0),
    deliveries: begins(0),
    refunds: begins(0),
    holds: begins(0),
    disputed: byDefault(0),
    client_ref: unsealed("private"),
    created_at: time,
  },
  { named: "order" },
);

const counted = { order_id: sealed("order_id"), n: sealed("n") };
const ofOrder = <const Named extends string>(named: Named) =>
  ({ key: ["order_id", "n"], named }) as const;

const payments = table(
  "market_payment",
  {
    ...counted,
    currency: sealed("currency"),
    txid: transferName,
    amount_raw: sealed("amount_raw"),
    from_account: text("from_sha256"),
    checked: sealed("checked"),
    role: sealed("role"),
    reason: text("reason_sha256"),
    at: time,
  },
  ofOrder("payment"),
);

/** Payments without an order. */
const unmatched = table(
  "market_unmatched",
  {
    txid: sealed("txid"),
    from_account: sealed("from"),
    amount_raw: sealed("amount_raw"),
    first_seen_at: time,
    order_id: sealedLater(null),
    sealed_at: time,
    sent_txid: sealedLater(null),
    sent_to: sealedLater(null),
    sent_at: unset,
    reason: sealedLater(null),
  },
  { key: ["txid"] },
);

const payouts = table(
  "market_payout",
  {
    order_id: sealed("order_id"),
    n: sealed("n", { or: 1 }), // The first payout of an order has no number in its entry.
    currency: sealed("currency"),
    txid: transferName,
    to_account: sealed("to"),
    amount_raw: sealed("amount_raw"),
    checked: sealed("checked"),
    reason: text("reason_sha256"),
    at: time,
  },
  ofOrder("payout"),
);

/** A debt, and the transfer that paid it. */
const refunds = table(
  "market_refund",
  {
    ...counted,
    amount_raw: sealed("amount_raw"),
    why: sealed("why"),
    to_account: text("to_sha256"),
    at: time,
    currency: sealedLater(null),
    txid: sealedLater(null),
    sent_to: sealedLater(null),
    checked: sealedLater(null),
    reason: sealedLater(null),
    sent_at: unset,
    reopened: byDefault(0),
  },
  ofOrder("refund"),
);
/** One debt, or all that a transfer has paid. */
const OF_TRANSFER = { n: each("debts", "n") };

const bytesIn = (row: Row, column: string): Buffer => Buffer.from(`${row[column]}`);
const saltIn = ({ salt }: Row): Buffer => Buffer.from(`${salt}`, "base64url");

/** A delivery is for its parties alone: its entry has a salted hash of it, and its length. */
const deliveries = table(
  "market_delivery",
  {
    ...counted,
    body: made(
      "sealed",
      (row) => commitment(saltIn(row), bytesIn(row, "body")),
      ({ body }) => body["content_commitment"],
    ),
    salt: made(
      "sealed",
      (row) => bytesIn(row, "body").length,
      ({ body }) => body["bytes"],
    ),
    content_sha256: made(
      "derived",
      (row) => (row["content_sha256"] === sha256Hex(`${row["body"]}`) ? 1 : 0),
      () => 1,
    ),
    late: sealed("late"),
    at: time,
  },
  ofOrder("delivery"),
);

/** A clock that somebody has stopped. The operator's reason is sealed as a hash, a buyer's as a commitment. */
const holds = table(
  "market_hold",
  {
    ...counted,
    from_state: made(
      "sealed",
      ({ from_state }) => from_state,
      ({ body }) => body["from_state"] ?? "delivered",
    ),
    remaining_s: sealed("remaining_s"),
    reason: made(
      "sealed",
      (row) =>
        row["salt"] == null
          ? sha256Hex(`${row["reason"]}`)
          : commitment(saltIn(row), bytesIn(row, "reason")),
      ({ body }) => body["reason_sha256"] ?? body["reason_commitment"],
    ),
    salt: made(
      "sealed",
      ({ salt }) => (salt == null ? 0 : 1),
      ({ kind }) => (kind === "order_disputed" ? 1 : 0),
    ),
    at: time,
    outcome: sealedLater(null),
    outcome_reason: sealedLater(null),
    ended_by: sealedLater(null),
    resolved_at: unset,
  },
  ofOrder("hold"),
);

/** Every entry of an order, at the time that its parties see. */
const history = table(
  "market_history",
  { id: laterOn("local"), order_id: sealed("order_id"), at: time, kind: kindName, ref: refName },
  { key: ["kind", "ref"] },
);
const noted = makes(history);

/** The changes of an order's own row. */
const moves = <const S extends Changes>(
  set: S & { readonly [Column in Exclude<keyof S, keyof MarketOrderTable>]: never },
) =>
  ownStatement(
    "one statement makes every change of an order under its lock, with sums that are texts",
    changes(orders, set),
  );

/** The same of state and sums alone, which `folds.ts` makes of entries. */
const settles = moves({});

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  offer: [makes(offers)],
  offerFlagged: [
    changes(offers, { flagged: sealed("rule"), flaggings: count }, { only: { flagged: null } }),
    makes(notices, { when: isExplained }),
  ],
  offerUnflagged: [
    changes(offers, { flagged: null, unflaggings: count }, { only: { flagged: sealed("rule") } }),
    makes(notices, { when: isExplained }),
  ],
  offerWithdrawn: [changes(offers, { withdrawn_at: time }, { only: { withdrawn_at: null } })],
  payoutAddress: [makes(addresses)],

  order: [
    ownStatement("the amount that is due has a tag made of the row's number", makes(orders)),
    noted,
  ],
  orderPayment: [
    makes(payments),
    ownStatement(
      "the operator has given it to the order, and the entry has only said so",
      changes(unmatched, ({ unmatched: isAssigned }) =>
        isAssigned === 1 ? { order_id: sealed("order_id") } : null,
      ),
    ),
    moves({ payments: sealed("n") }),
    noted,
  ],
  paymentUnmatched: ownStatements(
    "it also seals a row of before such payments were, and one that somebody had deleted gets no second entry",
    [makes(unmatched)],
  ),
  paymentRefunded: [
    changes(
      unmatched,
      {
        sent_txid: sealed("sent_txid"),
        sent_to: sealed("to"),
        sent_at: time,
        reason: text("reason_sha256"),
      },
      { only: { order_id: null, sent_at: null } },
    ),
  ],
  doubtDismissed: without(
    "says why the operator asks no more about a transfer that nobody has proven",
  ),
  orderPaid: [
    moves({ deliver_by: sealed("deliver_by"), refund_at: sealed("refund_at"), paid_at: time }),
    noted,
  ],
  orderExpired: [settles, noted],
  orderDelivered: [
    makes(deliveries),
    moves({ deliveries: sealed("n"), accept_by: sealed("accept_by") }),
    noted,
  ],
  orderUndelivered: [settles, noted],
  orderReleased: [settles, noted],
  fee: [settles, noted],
  payoutDue: [settles, noted],
  payout: [makes(payouts), settles, noted],
  payoutReopened: [settles, noted],
  refundDue: [makes(refunds), moves({ refunds: sealed("n") }), noted],
  refund: [
    changes(
      refunds,
      {
        currency: sealed("currency"),
        txid: transferName,
        sent_to: sealed("to"),
        checked: sealed("checked"),
        reason: text("reason_sha256"),
        sent_at: time,
      },
      { key: OF_TRANSFER, only: { txid: null } },
    ),
    settles,
    noted,
  ],
  refundReopened: [
    changes(refunds, { reopened: 1 }, { key: OF_TRANSFER, only: { reopened: 0 } }),
    settles,
    noted,
  ],
  transferChecked: [noted],
  debtSettled: [noted],
  orderHeld: [makes(holds), moves({ holds: sealed("n") }), noted],
  orderDisputed: [makes(holds), moves({ holds: sealed("n"), disputed: 1 }), noted],
  orderResolved: [
    changes(
      holds,
      {
        outcome: sealed("outcome"),
        outcome_reason: text("reason_sha256"),
        ended_by: sealed("by"),
        resolved_at: time,
      },
      { only: { outcome: null } },
    ),
    settles,
    noted,
  ],
});
