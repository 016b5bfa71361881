import { type Micro, micro, percentOf } from "../../platform/kernel/money.ts";
import { FEE_PERCENT } from "./rules.ts";

/** 0.000001 XNO in raw. An invoice is whole units, and in the digits below the tag that names its order. */
export const UNIT_RAW = 10n ** 24n;

/** A tag is 16 digits of the order's id, and 8 that check them: a slip of the payer names nobody. */
const CHECKS = 10n ** 8n;

/** Hex digits of a hash that the check is made of. */
const CHECK_HEX = 15;

/** 0.001 XNO: less is never listed, looked up or booked, so that dust costs the service nothing. */
export const PAYMENT_MIN_RAW = 10n ** 27n;

const RAW_PER_USD_MICRO_AT_E8 = 10n ** 32n;

const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** A price at a rate, in whole units, rounded up: worth the price, and at most one unit more. */
export const baseRaw = (price: Micro<"usd">, rate_e8: bigint): bigint =>
  ceilDiv(ceilDiv(price * RAW_PER_USD_MICRO_AT_E8, rate_e8), UNIT_RAW) * UNIT_RAW;

/** 0.1 XNO: of a lower price the least payment that is seen would be more than a hundredth. */
export const BASE_MIN_RAW = 100n * PAYMENT_MIN_RAW;

/** The invoice of an order: what the buyer is asked for, which no other order asks for. */
export interface Invoiced {
  readonly id: number;
  readonly base_raw: string;
  readonly due_raw: string;
}

/** What an order's books and views need to know of its price. */
export interface Priced extends Invoiced {
  readonly price_usd_micro: number;
}

/** The parts of a tag. `genesis` is the leaf of the ledger's first entry, 64 hex characters. */
interface Tagging extends Pick<Invoiced, "id" | "base_raw"> {
  readonly genesis: string;
}

/** A new invoice: the base and its tag (docs/reference/market.md). */
export function taggedDue(
  { genesis, id, base_raw }: Tagging,
  sha256Hex: (text: string) => string,
): string {
  const hash = sha256Hex(`${genesis} ${id} ${base_raw}`);
  const check = BigInt(`0x${hash.slice(0, CHECK_HEX)}`) % CHECKS;
  return `${BigInt(base_raw) + BigInt(id) * CHECKS + check}`;
}

/** The seller's part, exact because the base is whole units. */
export const sellerRaw = ({ base_raw }: Pick<Priced, "base_raw">): bigint =>
  (BigInt(base_raw) * BigInt(100 - FEE_PERCENT)) / 100n;

/** The base of which a seller's part is sealed. */
export const baseOf = (seller_raw: string): string =>
  `${(BigInt(seller_raw) * 100n) / BigInt(100 - FEE_PERCENT)}`;

/** Whether an amount has the tag of an order. */
export const isTagged = (amount_raw: bigint, order: Pick<Invoiced, "due_raw">): boolean =>
  amount_raw >= UNIT_RAW && amount_raw % UNIT_RAW === BigInt(order.due_raw) % UNIT_RAW;

/** The id that the digits of an amount may be of; null where they can be none's. */
export function taggedId(amount_raw: bigint): number | null {
  const id = (amount_raw % UNIT_RAW) / CHECKS;
  return amount_raw < UNIT_RAW || id === 0n || id > BigInt(Number.MAX_SAFE_INTEGER)
    ? null
    : Number(id);
}

/** What completes a payment: with the tag, and large enough to be seen. A surplus of a unit or more comes back. */
export function toCompleteRaw(
  order: Pick<Invoiced, "due_raw"> & { readonly received_raw: string },
): bigint {
  const due_raw = BigInt(order.due_raw);
  const received_raw = BigInt(order.received_raw);
  const left_raw = due_raw - received_raw;
  const least_raw = left_raw > PAYMENT_MIN_RAW ? left_raw : PAYMENT_MIN_RAW;
  const tagged_raw = least_raw - (least_raw % UNIT_RAW) + (due_raw % UNIT_RAW);
  return tagged_raw < least_raw ? tagged_raw + UNIT_RAW : tagged_raw;
}

/** The parts of a price. */
export function splitOf(order: Priced) {
  const price = micro<"usd">(order.price_usd_micro);
  const fee = percentOf(price, FEE_PERCENT);
  const due = BigInt(order.due_raw);
  const seller = sellerRaw(order);
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

/** The fields of the two entries that a release entails: they take all that is in escrow. */
export function releaseOf(order: Priced & { readonly escrow_raw: string }, seller: string) {
  const { fee_usd, seller_receives_usd, seller_raw } = splitOf(order);
  const fee_raw = BigInt(order.escrow_raw) - BigInt(seller_raw);
  const fee_micro = Number(fee_usd);
  const seller_micro = Number(seller_receives_usd);
  return {
    fee: { order_id: order.id, usd_micro: fee_micro, amount_raw: `${fee_raw}` },
    payoutDue: {
      order_id: order.id,
      agent: seller,
      usd_micro: seller_micro,
      amount_raw: seller_raw,
    },
  };
}

export const sellerUsd = (price: Micro<"usd">): Micro<"usd"> =>
  micro(price - percentOf(price, FEE_PERCENT));

/** What a refund is of the list price: all of it for the whole payment, else in proportion. */
export const refundUsd = (
  { price, base_raw }: { readonly price: Micro<"usd">; readonly base_raw: bigint },
  amount_raw: bigint,
): Micro<"usd"> => micro((price * (amount_raw / UNIT_RAW)) / (base_raw / UNIT_RAW));
