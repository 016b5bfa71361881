import { type Currency, DECIMALS, hashOf, unitsOf } from "../transfers/rules.ts";

export const NOTE_LENGTH_MAX = 500;
export const AMOUNT_LENGTH_MAX = 60;

/** Finding out about one transfer takes no longer; then nothing is known and nothing is stored. */
export const LOOKUP_MAX_MS = 8_000;

/** The report of a transfer, as an agent sends it. */
interface Sent {
  readonly currency: Currency;
  readonly txid: string;
  readonly amount?: number | string | undefined;
}

/** The problems of a report, field by field; nothing about whether it is true. */
export function* faultsOf({ currency, txid, amount }: Sent): Generator<{
  readonly field: "txid" | "amount";
  readonly problem: string;
}> {
  if (currency === "xno") {
    if (hashOf(txid) === null)
      yield { field: "txid", problem: "must be 64 hex characters, not all of them 0" };
  } else if (amount !== undefined && !isAmount(String(amount), DECIMALS[currency])) {
    const problem = `must be decimal, above 0, without sign or exponent, with at most ${DECIMALS[currency]} decimals and ${AMOUNT_LENGTH_MAX} characters`;
    yield { field: "amount", problem };
  }
}

function isAmount(text: string, decimals: number): boolean {
  return text.length <= AMOUNT_LENGTH_MAX && (unitsOf(text, decimals) ?? 0n) > 0n;
}
