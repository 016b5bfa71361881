/** Reward coins or US dollars, both with 6 decimals. */
export type Unit = "coin" | "usd";

declare const unit: unique symbol;

/** An amount in millionths. Coins and dollars do not mix, and a bare bigint does not pass for either. */
export type Micro<U extends Unit> = bigint & { readonly [unit]: U };

export const DECIMALS = 6;

/** Lifts an integer column, or the result of a calculation. A RangeError when it is no integer. */
export const micro = <U extends Unit>(amount: bigint | number): Micro<U> =>
  BigInt(amount) as Micro<U>;

/** The coin's fixed supply and the half of it that is locked (spec: Coin). */
export const COIN_SUPPLY = micro<"coin">(100_000_000_000_000n);
export const COIN_LOCKED = micro<"coin">(50_000_000_000_000n);

/** `percent` hundredths, rounded down: the rest is `amount` less this. */
export const percentOf = <U extends Unit>(amount: Micro<U>, percent: number): Micro<U> =>
  micro((amount * BigInt(percent)) / 100n);

// No sign, no exponent, no leading zero, 15 digits before the point and 6 after it.
const DECIMAL = /^(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,6}))?$/;

/**
 * The amount sent as a number or as decimal text; null when it is malformed or too precise. A number
 * counts as its shortest text, so 0.1 and "0.1" are the same and nothing passes through a float.
 */
export function parseMicro<U extends Unit>(sent: number | string): Micro<U> | null {
  const [, whole, fraction = ""] = DECIMAL.exec(String(sent)) ?? [];
  return whole === undefined ? null : micro(BigInt(whole + fraction.padEnd(DECIMALS, "0")));
}

/** The JSON number of an amount; exact up to 2^53 millionths, which no coin balance reaches. */
export const toNumber = (amount: bigint): number => Number(amount) / 10 ** DECIMALS;

/** `100,000,000`: for prose. The locale data of the platform would take a start 30 ms. */
export const inThousands = (amount: bigint): string =>
  String(toNumber(amount)).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ",");
