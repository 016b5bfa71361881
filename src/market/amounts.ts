import { type Micro, micro, percentOf } from "../kernel/money.ts";
import { FEE_PERCENT } from "./rules.ts";

/** 0.000001 XNO in raw. An invoice is whole units, and the id of its order in the digits below. */
export const UNIT_RAW = 10n ** 24n;

/** 0.001 XNO: less is never listed, looked up or booked, so that dust costs the service nothing. */
export const PAYMENT_MIN_RAW = 10n ** 27n;

const RAW_PER_USD_MICRO_AT_E8 = 10n ** 32n;

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** A price at a rate, in whole units, rounded up: worth the price, and at most one unit more. */
export const baseRaw = (price: Micro<"usd">, rate_e8: bigint): bigint =>
  ceilDiv(ceilDiv(price * RAW_PER_USD_MICRO_AT_E8, rate_e8), UNIT_RAW) * UNIT_RAW;

/** What an order's books and views need to know of its price. */
export interface Priced {
  readonly id: number;
  readonly base_raw: string;
  readonly price_usd_micro: number;
}

/** What the buyer is asked for: no two orders ever ask for the same amount. */
export const dueRaw = ({ id, base_raw }: Omit<Priced, "price_usd_micro">): bigint =>
  BigInt(base_raw) + BigInt(id);

/** The seller's part, exact because the base is whole units. */
export const sellerRaw = ({ base_raw }: Pick<Priced, "base_raw">): bigint =>
  (BigInt(base_raw) * BigInt(100 - FEE_PERCENT)) / 100n;

/** The order that an amount names; null when it is less than a unit or the digits name none. */
export function taggedOrder(amount_raw: bigint): number | null {
  const tag = amount_raw % UNIT_RAW;
  const isOrder = amount_raw >= UNIT_RAW && tag > 0n && tag <= BigInt(Number.MAX_SAFE_INTEGER);
  return isOrder ? Number(tag) : null;
}

/** The parts of a price. */
export function splitOf(order: Priced) {
  const price = micro<"usd">(order.price_usd_micro);
  const fee = percentOf(price, FEE_PERCENT);
  const [due, seller] = [dueRaw(order), sellerRaw(order)];
  return {
    price_usd: price,
    fee_percent: FEE_PERCENT,
    fee_usd: fee,
    seller_receives_usd: sellerUsd(price),
    due_raw: String(due),
    fee_raw: String(due - seller),
    seller_raw: String(seller),
  };
}

export const sellerUsd = (price: Micro<"usd">): Micro<"usd"> =>
  micro(price - percentOf(price, FEE_PERCENT));

/** What a refund is of the list price: all of it for the whole payment, else in proportion. */
export const refundUsd = (
  { price, base_raw }: { readonly price: Micro<"usd">; readonly base_raw: bigint },
  amount_raw: bigint,
): Micro<"usd"> => micro((price * (amount_raw / UNIT_RAW)) / (base_raw / UNIT_RAW));
