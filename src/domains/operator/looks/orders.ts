import * as z from "zod";
import type { Db } from "../../../platform/db/engine.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { findAgent } from "../../identity/agents.ts";
import { noOrder } from "../../market/ledger.ts";
import { dueOf } from "../../market/payouts/payables.ts";
import { STATES, type State } from "../../market/rules.ts";
import { marketHold, marketPayout, marketRefund, marketResolve } from "../acts/market.ts";
import { CREATED, ID } from "../columns.ts";
import { type Column, list, type Needs, offered, type Row, thing } from "../look.ts";
import { agentName, id, oneOf } from "../values.ts";
import * as sql from "./order-queries.ts";
import { type Ids, idsIn, SPAN } from "./span-queries.ts";

const party = (key: "buyer" | "seller"): Column => ({
  key,
  title: key,
  as: "agent",
  opens: "agent show",
});

const STATE: Column = { key: "state", title: "state", as: "word" };
const SINCE: Column = { key: "state_since", title: "since", as: "time" };
const PRICE: Column = { key: "price_usd_micro", title: "price", as: "usd" };
const HELD: Column = { key: "escrow_raw", title: "in escrow", as: "raw" };

export const ORDER_COLUMNS: readonly Column[] = [
  { ...ID, opens: "order show" },
  STATE,
  SINCE,
  party("buyer"),
  party("seller"),
  PRICE,
  { ...HELD, isBrief: true },
  CREATED,
];

interface Selection extends Ids {
  readonly state?: State | undefined;
  readonly limit: number;
}

/** Of one agent, as buyer and as seller, newest first. */
export async function ordersOf(
  read: Db,
  agent: number,
  selection: Selection,
): Promise<readonly Row[]> {
  const found = await Promise.all([
    sql.ordersOf.buyer.all(read, { ...selection, agent }),
    sql.ordersOf.seller.all(read, { ...selection, agent }),
  ]);
  return found
    .flat()
    .sort((a, b) => b.id - a.id)
    .slice(0, selection.limit);
}

const orderList = list({
  name: "order list",
  summary: "list the market's orders, newest first",
  input: z.object({
    state: oneOf(...STATES)
      .optional()
      .describe("only those in one state"),
    agent: agentName.optional().describe("only those that one agent buys or sells"),
    ...SPAN,
  }),
  columns: ORDER_COLUMNS,
  goesOn: "before",
  async rows(context, { state, agent, ...span }, { limit, from: before }) {
    const { read } = context;
    const which = { ...(await idsIn(read, "market_order", span, before)), state, limit };
    if (agent === undefined) return sql.orders.all(read, which);
    return ordersOf(read, (await findAgent(context, agent)).id, which);
  },
});

const orderShow = thing({
  name: "order show",
  summary: "show an order with its steps, payments, holds and debts",
  acts: ({ row: { id: order, state }, lists }) => {
    const owed = lists.find(({ name }) => name === "owed")?.rows ?? [];
    const isOwed = (kind: string) => owed.some(({ what }) => what === kind);
    return [
      ...(state === "paid" || state === "delivered" ? [offered(marketHold, { order })] : []),
      ...(state === "held" ? [offered(marketResolve, { order })] : []),
      ...(isOwed("payout") ? [offered(marketPayout, { order })] : []),
      ...(isOwed("refund") ? [offered(marketRefund, { order })] : []),
    ];
  },
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  columns: [
    { ...ID, title: "order" },
    { key: "offer", title: "offer", as: "id" },
    STATE,
    SINCE,
    party("buyer"),
    party("seller"),
    PRICE,
    { key: "received_raw", title: "received", as: "raw" },
    HELD,
    { key: "escrow_address", title: "paid to", as: "word" },
    { key: "refund_address", title: "refunds to", as: "word" },
    CREATED,
    { key: "expires_at", title: "expires", as: "time" },
    { key: "paid_at", title: "paid", as: "time" },
    { key: "deliver_by", title: "deliver by", as: "time" },
    { key: "accept_by", title: "accept by", as: "time" },
    { key: "refund_at", title: "refund at", as: "time" },
    { key: "held_until", title: "held until", as: "time" },
  ],
  async see(context, { id: order_id }) {
    const { read, reject } = context;
    const [row, owed, steps, payments, holds, debts] = await Promise.all([
      sql.orderById.first(read, { id: order_id }),
      owedOf(context, order_id),
      sql.steps.all(read, { order_id }),
      sql.payments.all(read, { order_id }),
      sql.holds.all(read, { order_id }),
      sql.debts.all(read, { order_id }),
    ]);
    if (row === undefined) return refuse({ reject }, noOrder);
    return {
      row,
      lists: [
        { name: "owed", title: "To send now", columns: OWED, rows: owed },
        { name: "steps", title: "Steps, newest first", columns: STEPS, rows: steps },
        { name: "payments", title: "Payments", columns: PAYMENTS, rows: payments },
        { name: "holds", title: "Holds", columns: HOLDS, rows: holds },
        { name: "debts", title: "Debts to buyers", columns: DEBTS, rows: debts },
      ],
    };
  },
});

/** What of an order waits for the operator's transfer: how much, and to whom. */
async function owedOf(context: Needs, order_id: number): Promise<readonly Row[]> {
  const { payouts, refunds } = await dueOf(context, order_id);
  return [
    ...payouts.map(({ amount_raw, address: to, owed_since, blocked }) => {
      return { what: "payout", amount_raw, to, owed_since, blocked };
    }),
    ...refunds.map(({ amount_raw, to, owed_since, debts, edited }) => {
      const blocked = edited ? "debt_edited" : null;
      return { what: "refund", debts, amount_raw, to, owed_since, blocked };
    }),
  ];
}

const N: Column = { key: "n", title: "n", as: "id" };
const AT: Column = { key: "at", title: "when", as: "time" };
const AMOUNT: Column = { key: "amount_raw", title: "amount", as: "raw" };
const TXID: Column = { key: "txid", title: "transaction", as: "word" };

const OWED: readonly Column[] = [
  { key: "what", title: "what", as: "word" },
  { key: "debts", title: "debts", as: "word" },
  AMOUNT,
  { key: "to", title: "to", as: "word" },
  { key: "owed_since", title: "owed since", as: "time" },
  { key: "blocked", title: "waits for", as: "word" },
];

const STEPS: readonly Column[] = [
  AT,
  { key: "kind", title: "step", as: "word" },
  { key: "ref", title: "entry of", as: "word" },
];

const PAYMENTS: readonly Column[] = [
  N,
  AT,
  AMOUNT,
  { key: "currency", title: "currency", as: "word" },
  { key: "role", title: "counts as", as: "word" },
  { key: "from_account", title: "from", as: "word" },
  TXID,
];

const HOLDS: readonly Column[] = [
  N,
  AT,
  { key: "from_state", title: "was", as: "word" },
  { key: "reason", title: "reason", as: "text" },
  { key: "outcome", title: "outcome", as: "word" },
  { key: "outcome_reason", title: "its reason", as: "text" },
  { key: "ended_by", title: "by", as: "word" },
  { key: "resolved_at", title: "resolved", as: "time" },
];

const DEBTS: readonly Column[] = [
  N,
  AT,
  AMOUNT,
  { key: "why", title: "why", as: "word" },
  { key: "to_account", title: "to", as: "word" },
  { key: "sent_at", title: "sent", as: "time" },
  TXID,
];

export const ORDER_LOOKS = [orderList, orderShow];
