import { listDue, type Owed } from "../../domains/market/payouts/payables.ts";
import {
  type SentAlready,
  type SentLine,
  sentAlready,
} from "../../domains/market/payouts/sent-already.ts";
import type { Column, Row } from "../../domains/operator/look.ts";
import { ORDERS_COUNTED_MAX, ordersByState } from "../../domains/operator/overview.ts";
import { heldOrders } from "../../domains/operator/overview-queries.ts";
import { type Html, html } from "../../platform/kernel/html.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import type { Page } from "./parts.ts";
import { numbered, tableOf } from "./view.ts";

/** Rows of each list of this page. */
const ROWS_MAX = 50;

const PAYOUTS: readonly Column[] = [
  { key: "order_id", title: "order", as: "id", opens: "order show" },
  { key: "address", title: "to", as: "word" },
  { key: "amount_raw", title: "amount", as: "raw" },
  { key: "owed_since", title: "owed since", as: "time" },
  { key: "blocked", title: "waits for", as: "word" },
];

const REFUNDS: readonly Column[] = [
  { key: "order_id", title: "order", as: "id", opens: "order show" },
  { key: "debts", title: "debts", as: "word" },
  { key: "to", title: "to", as: "word" },
  { key: "amount_raw", title: "amount", as: "raw" },
  { key: "why", title: "why", as: "word" },
  { key: "owed_since", title: "owed since", as: "time" },
];

const DISPUTES: readonly Column[] = [
  { key: "order_id", title: "order", as: "id", opens: "order show" },
  { key: "reason", title: "the buyer says", as: "text" },
  { key: "disputed_at", title: "since", as: "time" },
  { key: "held_until", title: "goes on by itself", as: "time" },
];

const HELD: readonly Column[] = [
  { key: "id", title: "order", as: "id", opens: "order show" },
  { key: "from_state", title: "was", as: "word" },
  { key: "at", title: "held", as: "time" },
  { key: "held_until", title: "ends", as: "time" },
  { key: "reason", title: "reason", as: "text" },
];

const UNMATCHED: readonly Column[] = [
  { key: "txid", title: "transaction", as: "word" },
  { key: "from", title: "from", as: "word" },
  { key: "amount_raw", title: "amount", as: "raw" },
  { key: "first_seen_at", title: "seen", as: "time" },
];

const DOUBTS: readonly Column[] = [
  { key: "txid", title: "transaction", as: "word" },
  { key: "order_id", title: "order", as: "id", opens: "order show" },
  { key: "why", title: "why", as: "word" },
  { key: "first_seen_at", title: "listed", as: "time" },
];

/** What the chain says is sent, of payouts by their order and of refunds by their oldest debt too. */
const CHAIN: Column = { key: "sent", title: "on the chain", as: "word" };

export const market: Page = async ({ context }, { query }) => {
  const { read, clock } = context;
  const now = clock.now();
  const isAsked = query["chain"] === "on";
  const [states, due, held, sent] = await Promise.all([
    ordersByState(context),
    listDue(context, ROWS_MAX),
    heldOrders.all(read, { limit: ROWS_MAX }),
    isAsked ? sentAlready(context, ROWS_MAX) : null,
  ]);
  const count = (n: number) => (n < ORDERS_COUNTED_MAX ? numbered(n) : `${numbered(n)} or more`);
  const section = (title: string, columns: readonly Column[], rows: readonly Row[]) =>
    html`<h2>${title}</h2>${tableOf({ name: "", title, columns, rows }, title, now)}`;
  const more = sent?.unasked === null ? [CHAIN] : [];
  const mark = (order_id: number, debts: readonly string[]) =>
    markOf(sent?.lines ?? [], order_id, debts);
  return [
    html`<ul class="cards">${states.map(([state, n]) => html`<li><b>${count(n)}</b> <a href="look/order-list?state=${state}">${state.replaceAll("_", " ")}</a></li>`)}</ul>`,
    chainOf(sent, context.chain !== null),
    section(
      "Disputes",
      DISPUTES,
      due.disputes.map((row) => ({ ...row })),
    ),
    section(
      "Payouts due",
      [...PAYOUTS, ...more],
      due.payouts.map((row) => ({ ...row, sent: mark(row.order_id, []) })),
    ),
    section(
      "Refunds due",
      [...REFUNDS, ...more],
      due.refunds.map((row) => ({ ...row, sent: mark(row.order_id, row.debts.split(",")) })),
    ),
    moreOf(due.more),
    section("Held orders", HELD, held),
    section(
      "Payments without an order",
      UNMATCHED,
      due.unmatched.map((row) => ({ ...row })),
    ),
    section(
      "Transfers that are not proven",
      DOUBTS,
      due.doubts.map((row) => ({ ...row })),
    ),
  ];
};

/** How much there is beside what is shown. */
const moreOf = (more: Owed["more"]): Html[] =>
  Object.entries(more)
    .filter(([, count]) => count > 0)
    .map(
      ([list, count]) =>
        html`<p>And ${numbered(count)} more ${list}: <code>cairn market due</code> lists them.</p>`,
    );

/** `sent: HASH`, of the transfers that fit a line; a payout has no debts. Null without one. */
function markOf(
  lines: readonly SentLine[],
  order_id: number,
  debts: readonly string[],
): string | null {
  const isOf = ({ n }: SentLine) => (n === null ? debts.length === 0 : debts.includes(`${n}`));
  const marks = lines
    .filter((line) => line.order_id === order_id && isOf(line))
    .map(({ txid, state, debts: of }) => {
      const which = of?.includes(",") ? ` for debts ${of}` : "";
      return `${state === "sent" ? "sent" : "perhaps sent, do not send it again"}${which}: ${txid}`;
    });
  return marks.length === 0 ? null : marks.join("; ");
}

/** Whether the chain was asked what is sent, and what it shows beyond the lines. */
function chainOf(sent: SentAlready | null, hasNode: boolean): Html | null {
  if (sent === null && !hasNode) return null;
  if (sent === null)
    return html`<p><a href="market?chain=on">Ask the chain what is sent already</a> before you send money. It may take a minute.</p>`;
  const { unasked, isWhole, others } = sent;
  if (unasked !== null)
    return html`<p class="bad">The chain was not asked (${unasked}): a line may be paid already.</p>`;
  return html`${isWhole ? html`<p>The chain was asked: a line without a mark is not sent.</p>` : html`<p class="bad">The chain was not read back far enough: a line without a mark may be paid already.</p>`}${others.map(
    ({ txid, to, amount_raw }) =>
      html`<p>Sent, and recorded nowhere: ${xnoOf(BigInt(amount_raw))} XNO to <code>${to}</code>, <code>${txid}</code></p>
`,
  )}`;
}
