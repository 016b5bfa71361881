import { micro } from "../../../platform/kernel/money.ts";
import type { Draft } from "../../../platform/ledger/transition.ts";
import { isTagged, refundUsd } from "../amounts.ts";
import { isCounted, type PaymentRole, type RefundWhy } from "../rules.ts";
import type { Columns, KnownDebt, KnownOrder } from "./order-state.ts";

/** The debt to one account that paid; null stands for money that no Nano account sent. */
interface Debt {
  readonly to: string | null;
  readonly amount_raw: bigint;
  readonly why: RefundWhy;
}

interface Came {
  readonly role: PaymentRole;
  readonly amount_raw: bigint;
  readonly from: string | null;
}

/**
 * To whom a payment would go back: to the account that its buyer named with the order, if it counts towards the price
 * or its digits name the order, and else to its sender. So nobody gets what a stranger has sent by mistake.
 */
export function backTo(
  { due_raw, refund_to }: { readonly due_raw: string; readonly refund_to: string | null },
  { role, amount_raw, from }: Came,
): string | null {
  const isOfOrder = isCounted(role) || isTagged(amount_raw, { due_raw });
  return refund_to !== null && isOfOrder ? refund_to : from;
}

/** One debt for each account that gets something back: what was sent for it, less what is owed back to it already. */
function debtsOf(
  payments: readonly { readonly back: string | null; readonly amount_raw: bigint }[],
  refunds: readonly { readonly to_account: string | null; readonly amount_raw: string }[],
  why: RefundWhy,
): Debt[] {
  const sums = new Map<string | null, bigint>();
  const add = (account: string | null, amount_raw: bigint) =>
    sums.set(account, (sums.get(account) ?? 0n) + amount_raw);
  for (const { back, amount_raw } of payments) add(back, amount_raw);
  for (const { to_account, amount_raw } of refunds) add(to_account, -BigInt(amount_raw));
  return [...sums]
    .filter(([, amount_raw]) => amount_raw > 0n)
    .map(([to, amount_raw]) => ({ to, amount_raw, why }));
}

type Owing = Pick<KnownOrder, "id" | "refunds" | "paid" | "debts">;

/** One debt to each account that gets something back, as entries. */
export function owed(order: Owing, why: RefundWhy): Draft[] {
  const debts = [...order.debts.values()]
    .filter(({ isReopened }) => !isReopened)
    .map(({ to, amount_raw }) => ({ to_account: to, amount_raw: `${amount_raw}` }));
  return debtsOf(order.paid, debts, why).map((debt, i) => dueBack(order, i, debt));
}

export const dueBack = (
  { id: order_id, refunds }: Pick<KnownOrder, "id" | "refunds">,
  i: number,
  { to, amount_raw, why }: Pick<KnownDebt, "to" | "amount_raw" | "why">,
): Draft => ({
  kind: "refund_due",
  body: {
    order_id,
    n: refunds + 1 + i,
    amount_raw: `${amount_raw}`,
    why,
    to_sha256: to ?? undefined,
  },
});

/** The numbers of debts as entries name them, `1,2,5`. */
export const numbersIn = (debts: string): number[] => debts.split(",").map(Number);

export const debtNumbers = (body: { readonly n: number; readonly debts?: string | undefined }) =>
  numbersIn(body.debts ?? `${body.n}`);

/** What some debts come to, in raw. */
export const sumOf = (debts: readonly { readonly amount_raw: bigint | string }[]): bigint =>
  debts.reduce((sum, { amount_raw }) => sum + BigInt(amount_raw), 0n);

export function listPrice(order: Columns, debts: readonly KnownDebt[]): number {
  const book = { price: micro<"usd">(order.price_usd_micro), base_raw: BigInt(order.base_raw) };
  return debts.reduce((sum, { amount_raw }) => sum + Number(refundUsd(book, amount_raw)), 0);
}

export const openDebts = ({ debts }: Pick<KnownOrder, "debts">, but: readonly number[]) =>
  [...debts.values()]
    .filter(({ n, sent }) => sent === null && !but.includes(n))
    .map(({ to, amount_raw, why }) => ({ to_account: to, amount_raw: `${amount_raw}`, why }));
