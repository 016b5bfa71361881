import {
  columns,
  type Entry,
  type Made,
  near,
  numberIn,
  type Row,
  rowName,
  textIn,
  UNSEALED,
  type Value,
} from "../../../ledger/rows/told.ts";
import { sha256 } from "../../../ledger/sha256.ts";
import { isOrderKind, ORDER_KINDS } from "../../../market/rules.ts";
import { rateText } from "../../../transfers/rules.ts";
import type { Books } from "../replay.ts";
import { entryRows, hashIn, numbered, ofOrder, transferName, withFigures } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

/** What an order begins with; the columns of its row stand in the same order. */
const BEGUN = {
  ...{ received_raw: "0", payments: 0, deliveries: 0, refunds: 0, holds: 0, disputed: 0 },
  ...{ deliver_by: null, refund_at: null, accept_by: null, paid_at: null },
};

/**
 * A clock that was stopped goes on by the second in which that was written, which is not sealed: so
 * the deadlines of an order that was ever held do not follow from the ledger.
 */
const withoutStopped = (figures: Made): Made =>
  figures["holds"] === 0
    ? figures
    : { ...figures, deliver_by: UNSEALED, refund_at: UNSEALED, accept_by: UNSEALED };

/** The parties' own rows of the orders. */
function orders(): DerivedTable {
  const states = new Map<number, string>();
  /** When an order came to the state in which an entry leaves it. */
  const sinceOf = (entry: Entry, { market }: Books): Made => {
    const id = numberIn(entry, "order_id");
    const [before, state = ""] = [states.get(id), market.books.get(id)?.state];
    states.set(id, state);
    return before === state ? {} : { state_since: near(entry.at) };
  };
  return withFigures(
    entryRows({
      table: "market_order",
      kinds: ["order"],
      id: numbered("order", "order_id"),
      columns: {
        ...{ offer: "offer_id", buyer: "buyer", seller: "seller", sla_hours: "sla_hours" },
        ...{ price_usd_micro: "price_usd_micro", rate_source: "rate_source" },
        ...{ expires_at: "expires_at", due_raw: "due_raw" },
      },
      agents: ["buyer", "seller"],
      newly: { escrow_address: "escrow" },
      hashed: { refund_address: "refund_address_sha256" },
      times: ["created_at", "state_since"],
      more: {
        row: (row) => ({
          rate: rateText(BigInt(row["rate_e8"] ?? 0)),
          ...columns(row, ...Object.keys(BEGUN)),
        }),
        entry: ({ body }) => ({ rate: body["rate"], ...BEGUN }),
      },
      later: {
        of: ({ kind, body }) => (isOrderKind(kind) ? [rowName("order", body["order_id"])] : []),
        figures: (entry, before, books) =>
          withoutStopped({ ...before, ...sinceOf(entry, books), ...movedBy(entry, before) }),
      },
    }),
    (row) => ({ base_raw: row["base_raw"], state: row["state"], escrow_raw: row["escrow_raw"] }),
    {
      name: "order",
      in: ({ market }) => market.books,
      figures: ({ base_raw, state, balances }) => ({
        ...{ base_raw, state, escrow_raw: balances.escrow },
      }),
    },
  );
}

function movedBy(entry: Entry, { received_raw }: Made): Made {
  const { kind, body } = entry;
  const n: Value = body["n"];
  switch (kind) {
    case "order_payment": {
      const isCounted = ["payment", "manual"].includes(textIn(entry, "role"));
      const counted = isCounted ? BigInt(body["amount_raw"] ?? 0) : 0n;
      return { payments: n, received_raw: String(BigInt(String(received_raw)) + counted) };
    }
    case "order_paid":
      return {
        ...{ deliver_by: body["deliver_by"], refund_at: body["refund_at"] },
        paid_at: near(entry.at),
      };
    case "order_delivered":
      return { deliveries: n, accept_by: body["accept_by"] };
    case "refund_due":
      return { refunds: n };
    case "order_held":
      return { holds: n };
    case "order_disputed":
      return { holds: body["n"], disputed: 1 };
    default:
      return {};
  }
}

const SENT = { currency: "currency", amount_raw: "amount_raw", checked: "checked" };

const payments = (): DerivedTable =>
  entryRows({
    table: "market_payment",
    kinds: ["order_payment"],
    id: ofOrder("payment"),
    columns: { ...SENT, role: "role" },
    newlyHashed: { from_account: "from_sha256", reason: "reason_sha256" },
    times: ["at"],
    more: transferName,
  });

/** The first payout of an order has no number in its entry. */
const ofPayout = (): ReturnType<typeof ofOrder> => {
  const { row, entry } = ofOrder("payout");
  return { row: ({ n = null, ...columns }) => row(n === 1 ? columns : { ...columns, n }), entry };
};

const payouts = (): DerivedTable =>
  entryRows({
    table: "market_payout",
    kinds: ["payout"],
    id: ofPayout(),
    columns: { ...SENT, to_account: "to" },
    newlyHashed: { reason: "reason_sha256" },
    times: ["at"],
    more: transferName,
  });

const UNSENT = {
  ...{ currency: null, txid: null, sent_to: null, checked: null, reason: null, sent_at: null },
  reopened: 0,
};

/** The rows of an entry about debts: of one, or of all that its transfer has paid. */
const debtsIn = ({ body: { order_id, n, debts = n } }: Entry): string[] =>
  `${debts}`.split(",").map((each) => rowName("refund", `${order_id}/${each}`));

/** A debt, and the transfer that paid it. */
const refunds = (): DerivedTable =>
  entryRows({
    table: "market_refund",
    kinds: ["refund_due"],
    id: ofOrder("refund"),
    columns: { amount_raw: "amount_raw", why: "why" },
    newlyHashed: { to_account: "to_sha256" },
    times: ["at"],
    more: {
      row: (row) => ({
        ...columns(row, "currency", "sent_to", "checked", "sent_at", "reopened"),
        ...{ reason: hashIn(row, "reason"), ...transferName.row(row) },
      }),
      entry: () => UNSENT,
    },
    later: {
      of: (entry) => (["refund", "refund_reopened"].includes(entry.kind) ? debtsIn(entry) : []),
      figures: (entry): Made =>
        entry.kind === "refund_reopened"
          ? { reopened: 1 }
          : {
              ...{ currency: entry.body["currency"], ...transferName.entry(entry) },
              ...{ sent_to: entry.body["to"], checked: entry.body["checked"] },
              ...{ reason: entry.body["reason_sha256"] ?? UNSEALED, sent_at: near(entry.at) },
            },
    },
  });

/** A delivery is for its parties alone: its entry has a salted hash of it. */
const deliveries = (): DerivedTable =>
  entryRows({
    table: "market_delivery",
    kinds: ["order_delivered"],
    id: ofOrder("delivery"),
    columns: { late: "late" },
    times: ["at"],
    more: {
      row: (row) => {
        const body = Buffer.from(String(row["body"]));
        const salt = Buffer.from(String(row["salt"]), "base64url");
        return {
          bytes: body.length,
          content_commitment: sha256(Buffer.concat([salt, body])).toHex(),
          isHash: row["content_sha256"] === sha256(body).toHex() ? 1 : 0,
        };
      },
      entry: ({ body }) => ({
        ...{ bytes: body["bytes"], content_commitment: body["content_commitment"], isHash: 1 },
      }),
    },
  });

/** The reason of an operator is sealed as a hash, that of a buyer as a commitment. */
const reasonOf = ({ reason, salt }: Row): string => {
  const said = Buffer.from(String(reason));
  const before = salt == null ? Buffer.of() : Buffer.from(String(salt), "base64url");
  return sha256(Buffer.concat([before, said])).toHex();
};

const holds = (): DerivedTable =>
  entryRows({
    table: "market_hold",
    kinds: ["order_held", "order_disputed"],
    id: ofOrder("hold"),
    columns: { remaining_s: "remaining_s" },
    times: ["at"],
    more: {
      row: (row) => ({
        ...columns(row, "from_state", "outcome", "resolved_at"),
        reason: reasonOf(row),
        isBuyers: row["salt"] == null ? 0 : 1,
        outcome_reason: hashIn(row, "outcome_reason"),
      }),
      entry: ({ kind, body }) => ({
        from_state: body["from_state"] ?? "delivered",
        reason: body["reason_sha256"] ?? body["reason_commitment"],
        isBuyers: kind === "order_disputed" ? 1 : 0,
        ...{ outcome: null, resolved_at: null, outcome_reason: null },
      }),
    },
    later: {
      of: (entry) => (entry.kind === "order_resolved" ? [ofOrder("hold").entry(entry)] : []),
      figures: ({ body, at }) => ({
        ...{ outcome: body["outcome"], resolved_at: near(at) },
        outcome_reason: body["reason_sha256"],
      }),
    },
  });

/** Every entry of an order, at the time that its parties see. */
const history = (): DerivedTable =>
  entryRows({
    table: "market_history",
    kinds: ORDER_KINDS,
    id: {
      row: ({ kind, ref }) => `${kind} ${ref}`,
      entry: ({ kind, ref }) => `${kind} ${ref}`,
    },
    columns: { order_id: "order_id" },
    times: ["at"],
  });

/** What an order's parties see, and the operator owes. */
export const orderTables = (): readonly DerivedTable[] => [
  orders(),
  payments(),
  payouts(),
  refunds(),
  deliveries(),
  holds(),
  history(),
];
