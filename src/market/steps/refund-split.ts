import type { RefundWhy } from "../rules.ts";

/** The debt to one account that paid; null stands for money that no Nano account sent. */
export interface Debt {
  readonly to: string | null;
  readonly amount_raw: bigint;
  readonly why: RefundWhy;
}

/** One debt for each account that sent something: what it sent, less what is owed back to it already. */
export function debtsOf(
  payments: readonly { readonly from_account: string | null; readonly amount_raw: string }[],
  refunds: readonly { readonly to_account: string | null; readonly amount_raw: string }[],
  why: RefundWhy,
): Debt[] {
  const sums = new Map<string | null, bigint>();
  const add = (account: string | null, amount_raw: bigint) =>
    sums.set(account, (sums.get(account) ?? 0n) + amount_raw);
  for (const { from_account, amount_raw } of payments) add(from_account, BigInt(amount_raw));
  for (const { to_account, amount_raw } of refunds) add(to_account, -BigInt(amount_raw));
  return [...sums]
    .filter(([, amount_raw]) => amount_raw > 0n)
    .map(([to, amount_raw]) => ({ to, amount_raw, why }));
}
