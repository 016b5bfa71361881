import { type field, fieldsIn } from "../../../platform/kernel/contract/entry-kind.ts";
import { type Micro, micro } from "../../../platform/kernel/money.ts";
import { baseOf } from "../amounts.ts";
import * as entries from "../entries.ts";
import { isOrderKind, isOwnDebt, type OrderKind, type State } from "../rules.ts";

/** The accounts of an order. `in` is the world outside, so it is never above 0; no other is ever below. */
const ACCOUNTS = ["in", "escrow", "seller_payable", "refund_payable", "fee", "out"] as const;
type Account = (typeof ACCOUNTS)[number];

/** One line of a posting; those of one entry sum to 0. */
export interface Line {
  readonly account: Account;
  readonly amount_raw: bigint;
}

/** What each kind moves, from where to where; all other kinds move nothing. */
const MOVES: ReadonlyMap<string, readonly [kind: Moving, from: Account, to: Account]> = new Map(
  (
    [
      [entries.orderPayment, "in", "escrow"],
      [entries.fee, "escrow", "fee"],
      [entries.payoutDue, "escrow", "seller_payable"],
      [entries.refundDue, "escrow", "refund_payable"],
      [entries.payout, "seller_payable", "out"],
      [entries.payoutReopened, "out", "seller_payable"],
      [entries.refund, "refund_payable", "out"],
      [entries.refundReopened, "out", "escrow"],
    ] as const
  ).map((move) => [move[0].kind, move]),
);

/** A kind that moves raw. */
interface Moving {
  readonly kind: string;
  readonly fields: { readonly amount_raw: typeof field.raw };
}

/** The posting of an entry, by its kind and body alone: every reader of the ledger can compute all of them. */
export function postingsOf(kind: string, body: unknown): readonly Line[] {
  const move = MOVES.get(kind);
  if (move === undefined) return [];
  const [record, from, to] = move;
  const amount_raw = BigInt(fieldsIn(record, body, "amount_raw").amount_raw);
  return [
    { account: from, amount_raw: -amount_raw },
    { account: to, amount_raw },
  ];
}

/** An order as the ledger alone makes it. */
export interface Book {
  readonly state: State;
  /** Where a held order goes back to. */
  readonly held_from: State | null;
  readonly price: Micro<"usd">;
  readonly base_raw: bigint;
  readonly balances: Readonly<Record<Account, bigint>>;
}

const EMPTY = { in: 0n, escrow: 0n, seller_payable: 0n, refund_payable: 0n, fee: 0n, out: 0n };

type Step = (book: Book, body: unknown) => State;
const stay: Step = ({ state }) => state;
const to =
  (state: State): Step =>
  () =>
    state;

/** The state that an entry leaves an order in, once its posting is made. */
const STEPS: Readonly<Record<OrderKind, Step>> = {
  order: stay,
  order_payment: stay,
  order_paid: to("paid"),
  order_expired: (_, body) =>
    fieldsIn(entries.orderExpired, body, "by").by === "buyer" ? "withdrawn" : "expired",
  order_undelivered: stay,
  order_delivered: to("delivered"),
  order_held: to("held"),
  order_disputed: to("held"),
  order_resolved: (book, body) =>
    fieldsIn(entries.orderResolved, body, "outcome").outcome === "resume"
      ? (book.held_from ?? book.state)
      : book.state,
  order_released: to("released"),
  fee: stay,
  payout_due: stay,
  payout: to("paid_out"),
  payout_reopened: to("released"),
  refund_due: ({ state }, body) =>
    isOwnDebt(fieldsIn(entries.refundDue, body, "why").why) ? "refund_due" : state,
  refund: ({ state, balances }, body) => {
    const isLast =
      balances.refund_payable === 0n || fieldsIn(entries.refund, body, "ends").ends === 1;
    return state === "refund_due" && isLast ? "refunded" : state;
  },
  refund_reopened: stay,
  transfer_checked: stay,
  debt_settled: stay,
};

function openBook(body: unknown): Book {
  const { price_usd_micro, seller_raw } = fieldsIn(
    entries.order,
    body,
    "price_usd_micro",
    "seller_raw",
  );
  const base_raw = BigInt(baseOf(seller_raw));
  const price = micro<"usd">(price_usd_micro);
  return { state: "awaiting_payment", held_from: null, price, base_raw, balances: EMPTY };
}

/** Where an order goes back to after a hold that this entry begins. */
function heldFrom(kind: OrderKind, body: unknown): State | null {
  if (kind === "order_disputed") return "delivered";
  return kind === "order_held" ? fieldsIn(entries.orderHeld, body, "from_state").from_state : null;
}

/** The book of an order after its next entry; null before its first. */
export function bookAfter(book: Book | null, kind: string, body: unknown): Book | null {
  if (!isOrderKind(kind)) return book;
  const before = kind === "order" ? openBook(body) : book;
  if (before === null) throw new Error("An order's ledger begins with the order.");
  const balances: Record<Account, bigint> = { ...before.balances };
  for (const { account, amount_raw } of postingsOf(kind, body)) balances[account] += amount_raw;
  const held_from = heldFrom(kind, body) ?? before.held_from;
  const posted = { ...before, held_from, balances };
  return { ...posted, state: STEPS[kind](posted, body) };
}

/** Whether the accounts sum to 0 and only `in` is below it (I12). */
export function isSound({ balances }: Book): boolean {
  const sum = ACCOUNTS.reduce((total, account) => total + balances[account], 0n);
  return sum === 0n && ACCOUNTS.every((name) => name === "in" || balances[name] >= 0n);
}

/** What the venue owes of an order. */
export const owedRaw = ({ balances }: Book): bigint =>
  balances.escrow + balances.seller_payable + balances.refund_payable;
