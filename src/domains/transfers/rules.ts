import { field } from "../../platform/kernel/contract/entry-kind.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import { RAW_PER_XNO } from "../../platform/kernel/nano.ts";
import { DAY_S } from "../../platform/kernel/time.ts";

/** The currencies of a contribution (spec: Contribution, row 1). */
export const CURRENCIES = ["xno", "xmr", "btc", "other"] as const;
export type Currency = (typeof CURRENCIES)[number];

/** A name of a transfer, as it is sent. */
export const TXID_LENGTH_MAX = 200;

/** How entries name a transfer. That of `other` is text that an agent chose, so its hash is sealed. */
export const txidFields = {
  txid: field.like(/^([0-9A-F]{64}|[0-9a-f]{64})$/).optional(),
  txid_sha256: field.hex64.optional(),
};

/** How finely an amount in each currency may be given. */
export const DECIMALS: Readonly<Record<Currency, number>> = { xno: 30, xmr: 12, btc: 8, other: 30 };

/** The network's goal, and the most that one declaration may be worth. */
export const TARGET_USD: Micro<"usd"> = micro(100_000_000_000_000n);

/** The most that a checked contribution may be worth: what it is worth must fit an entry's integers. */
export const CHECKED_USD_MAX: Micro<"usd"> = micro(9_000_000_000_000_000n);

/** Rates are whole hundred-millionths of a US dollar for one unit. */
export const RATE_DECIMALS = 8;
const RATE_E8_END = 1_000_000n * 10n ** 8n;

/** References for an operator who sets none: round figures, not market prices. */
export const DEFAULT_RATES_E8 = { xno: 80_000_000n, xmr: 30_000_000_000n } as const;

const HASH = /^(?:0[xX])?([0-9a-fA-F]{64})$/;
const NO_HASH = "0".repeat(64);

/** 64 hex characters in lower case, from any notation of them; null for anything else and for zero. */
export function hashOf(txid: string): string | null {
  const hash = HASH.exec(txid.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ""))?.[1]?.toLowerCase();
  return hash === undefined || hash === NO_HASH ? null : hash;
}

/** The name of a transfer in the register, whatever the currency: one hash, one use. */
export const transferKey = (txid: string): string => hashOf(txid) ?? txid;

/** A new payout address is used only so long after it was set, the first one too. */
export const ADDRESS_WAIT_S = DAY_S;

/** Debts to one account that keep no order open: under 0.01 XNO in sum, so that dust holds nobody up. */
export const DUST_END_RAW = RAW_PER_XNO / 100n;

interface OpenDebt {
  /** Null when no Nano account sent the money. */
  readonly to_account: string | null;
  readonly amount_raw: string;
  readonly why: string;
}

/** Whether an order with these open debts is refunded: all that is left is dust, or came too much later. */
export function isAllButDust(debts: readonly OpenDebt[]): boolean {
  const holding = debts.filter(({ why }) => why !== "extra");
  if (holding.some(({ to_account }) => to_account === null)) return false;
  const owed = Map.groupBy(holding, ({ to_account }) => to_account);
  const sums = owed.values().map((each) => each.reduce((sum, d) => sum + BigInt(d.amount_raw), 0n));
  return sums.every((sum) => sum < DUST_END_RAW);
}

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/** Decimal text as a whole number of units of 10^-`decimals`; null when it is malformed or too precise. */
export function unitsOf(text: string, decimals: number): bigint | null {
  const [, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** A price in hundred-millionths of a US dollar; null when it is malformed or out of bounds. */
export function parseUsd(text: string): bigint | null {
  const rate_e8 = unitsOf(text, RATE_DECIMALS);
  return rate_e8 !== null && rate_e8 > 0n && rate_e8 < RATE_E8_END ? rate_e8 : null;
}

/** A rate as decimal text, with as few decimals as it needs. */
export function rateText(rate_e8: bigint): string {
  const fraction = String(rate_e8 % 10n ** 8n)
    .padStart(RATE_DECIMALS, "0")
    .replace(/0+$/, "");
  return `${rate_e8 / 10n ** 8n}${fraction && `.${fraction}`}`;
}

/** What `units` of 10^-`decimals` are worth, rounded down: a figure never exceeds the exact product. */
export const worth = (units: bigint, decimals: number, rate_e8: bigint): Micro<"usd"> =>
  micro((units * rate_e8) / 10n ** BigInt(decimals + RATE_DECIMALS - 6));

/** What a new sample of a price is held against; all in hundred-millionths. */
interface Known {
  readonly reference_e8: bigint;
  /** The last sample that was accepted. */
  readonly last_e8: bigint | null;
  /** The sample before this one, if it was doubted. */
  readonly doubted_e8: bigint | null;
}

/** `doubted`: refused, but believed if the next one agrees with it. */
export type Judgement = "accepted" | "doubted" | "refused";

const REFERENCE_FACTOR_MAX = 5n;
const CHANGE_MAX_PERCENT = 30n;
const AGREEMENT_PERCENT = 5n;

/** Bounds what a source of prices can do: a wrong or forged sample moves nothing by much, or at all. */
export function judgeSample(sample_e8: bigint, known: Known): Judgement {
  const { reference_e8, last_e8, doubted_e8 } = known;
  if (sample_e8 <= 0n || sample_e8 >= RATE_E8_END) return "refused";
  if (sample_e8 > reference_e8 * REFERENCE_FACTOR_MAX) return "refused";
  if (sample_e8 * REFERENCE_FACTOR_MAX < reference_e8) return "refused";
  if (last_e8 === null || isWithin(CHANGE_MAX_PERCENT, sample_e8, last_e8)) return "accepted";
  const agrees = doubted_e8 !== null && isWithin(AGREEMENT_PERCENT, sample_e8, doubted_e8);
  return agrees ? "accepted" : "doubted";
}

function isWithin(percent: bigint, value: bigint, of: bigint): boolean {
  const distance = value > of ? value - of : of - value;
  return distance * 100n <= of * percent;
}
