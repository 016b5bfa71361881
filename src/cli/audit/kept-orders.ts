import { isOrderKind } from "../../market/rules.ts";
import { rateText } from "../../transfers/rules.ts";
import { type Entry, textIn } from "./entry.ts";
import { type KeptTable, type Row, rowName, type Value } from "./kept.ts";
import {
  entryRows,
  type Figures,
  numbered,
  ofOrder,
  transferName,
  withFigures,
} from "./kept-rows.ts";

const offers = (): KeptTable =>
  entryRows({
    table: "market_offer",
    kind: "offer",
    id: numbered("offer", "offer_id"),
    columns: {
      ...{ agent: "agent", price_usd_micro: "price_usd_micro", sla_hours: "sla_hours" },
      flagged: "flagged",
    },
    agents: ["agent"],
    more: {
      row: (row) => ({ withdrawn: row["withdrawn_at"] === null ? 0 : 1 }),
      entry: () => ({ withdrawn: 0 }),
    },
    later: {
      of: ({ kind, body }) =>
        kind.startsWith("offer_") ? rowName("offer", body["offer_id"]) : null,
      figures: ({ kind, body }) => {
        if (kind === "offer_flagged") return { flagged: body["rule"] };
        return kind === "offer_unflagged" ? { flagged: null } : { withdrawn: 1 };
      },
    },
  });

/** What an order begins with; the columns of its row stand in the same order. */
const BEGUN = {
  ...{ received_raw: "0", payments: 0, deliveries: 0, refunds: 0, holds: 0 },
  ...{ deliver_by: null, refund_at: null, accept_by: null },
};

/**
 * A clock that was stopped goes on by the second in which that was written, which is not sealed: so
 * the deadlines of an order that was ever held do not follow from the ledger.
 */
const withoutStopped = (figures: Figures): Figures =>
  figures["holds"] === 0
    ? figures
    : { ...figures, deliver_by: null, refund_at: null, accept_by: null };

/** The parties' own rows of the orders. */
const orders = (): KeptTable =>
  withFigures(
    entryRows({
      table: "market_order",
      kind: "order",
      id: numbered("order", "order_id"),
      columns: {
        ...{ offer: "offer_id", buyer: "buyer", seller: "seller", sla_hours: "sla_hours" },
        ...{ price_usd_micro: "price_usd_micro", rate_source: "rate_source" },
        expires_at: "expires_at",
      },
      agents: ["buyer", "seller"],
      more: {
        row: (row) => ({
          rate: rateText(BigInt(row["rate_e8"] ?? 0)),
          ...withoutStopped(
            Object.fromEntries(Object.keys(BEGUN).map((column) => [column, row[column]])),
          ),
        }),
        entry: ({ body }) => ({ rate: body["rate"], ...BEGUN }),
      },
      later: {
        of: ({ kind, body }) => (isOrderKind(kind) ? rowName("order", body["order_id"]) : null),
        figures: (entry, before) => withoutStopped({ ...before, ...movedBy(entry, before) }),
      },
    }),
    (row) => ({ base_raw: row["base_raw"], state: row["state"], escrow_raw: row["escrow_raw"] }),
    ({ market }) =>
      [...market.books].map(([id, { base_raw, state, balances }]) => [
        rowName("order", id),
        { base_raw, state, escrow_raw: balances.escrow },
      ]),
  );

function movedBy(entry: Entry, { received_raw }: Figures): Figures {
  const { kind, body } = entry;
  const n: Value = body["n"];
  switch (kind) {
    case "order_payment": {
      const isCounted = ["payment", "manual"].includes(textIn(entry, "role"));
      const counted = isCounted ? BigInt(body["amount_raw"] ?? 0) : 0n;
      return { payments: n, received_raw: String(BigInt(received_raw ?? 0) + counted) };
    }
    case "order_paid":
      return { deliver_by: body["deliver_by"], refund_at: body["refund_at"] };
    case "order_delivered":
      return { deliveries: n, accept_by: body["accept_by"] };
    case "refund_due":
      return { refunds: n };
    case "order_held":
      return { holds: n };
    default:
      return {};
  }
}

const SENT = { currency: "currency", amount_raw: "amount_raw", checked: "checked" };

const payments = (): KeptTable =>
  entryRows({
    table: "market_payment",
    kind: "order_payment",
    id: ofOrder("payment"),
    columns: { ...SENT, role: "role" },
    more: transferName,
  });

/** The first payout of an order has no number in its entry. */
const ofPayout = (): ReturnType<typeof ofOrder> => {
  const { row, entry } = ofOrder("payout");
  return { row: ({ n = null, ...columns }) => row(n === 1 ? columns : { ...columns, n }), entry };
};

const payouts = (): KeptTable =>
  entryRows({
    table: "market_payout",
    kind: "payout",
    id: ofPayout(),
    columns: { ...SENT, to_account: "to" },
    more: transferName,
  });

const UNSENT = { currency: null, txid: null, sent_to: null, checked: null, reopened: 0 };

/** A debt, and the transfer that paid it. */
const refunds = (): KeptTable =>
  entryRows({
    table: "market_refund",
    kind: "refund_due",
    id: ofOrder("refund"),
    columns: { amount_raw: "amount_raw", why: "why" },
    more: {
      row: (row) => ({
        ...{ currency: row["currency"], ...transferName.row(row) },
        ...{ sent_to: row["sent_to"], checked: row["checked"], reopened: row["reopened"] },
      }),
      entry: () => UNSENT,
    },
    later: {
      of: (entry) =>
        ["refund", "refund_reopened"].includes(entry.kind) ? ofOrder("refund").entry(entry) : null,
      figures: (entry) =>
        entry.kind === "refund_reopened"
          ? { reopened: 1 }
          : {
              ...{ currency: entry.body["currency"], ...transferName.entry(entry) },
              ...{ sent_to: entry.body["to"], checked: entry.body["checked"] },
            },
    },
  });

/** How long a delivery is and whether it was late; what was delivered is for its parties alone. */
const deliveries = (): KeptTable =>
  entryRows({
    table: "market_delivery",
    kind: "order_delivered",
    id: ofOrder("delivery"),
    columns: { late: "late" },
    more: {
      row: ({ body }: Row) => ({ bytes: Buffer.byteLength(String(body)) }),
      entry: ({ body }) => ({ bytes: body["bytes"] }),
    },
  });

/** What the market's parties see, and the operator owes. */
export const orderTables = (): readonly KeptTable[] => [
  offers(),
  orders(),
  payments(),
  payouts(),
  refunds(),
  deliveries(),
];
