import { fault } from "../../../platform/ledger/transition.ts";
import type { KnownOrder } from "./order-state.ts";

interface Sending {
  readonly currency: string;
  readonly txid?: string | undefined;
  readonly txid_sha256?: string | undefined;
  readonly checked?: 0 | 1;
  readonly reason_sha256?: string | undefined;
}

/** Whether a transfer is named as its currency is, and only one of XNO is checked. */
export const isNamed = ({ currency, txid, txid_sha256, checked }: Sending): boolean =>
  (txid === undefined) !== (txid_sha256 === undefined) &&
  (currency !== "xno" || txid !== undefined) &&
  (currency === "xno" || checked !== 1);

/** Whether a payout or refund that rests on the operator's word lacks it. */
export const isUnsaid = (sending: Sending): boolean =>
  sending.currency === "xno" && sending.checked === 0 && sending.reason_sha256 === undefined;

/** The part of a transfer that nobody but the operator has seen. */
export const wordOf = (what: string, { currency, checked }: Sending): string | undefined => {
  if (currency !== "xno") return `${what} not in XNO`;
  return checked === 0 ? `${what} unchecked` : undefined;
};

/** Whether a debt ends in another currency although its creditor has not said so. */
export const isForced = ({ next }: Pick<KnownOrder, "next">, { currency }: Sending): boolean =>
  currency !== "xno" && next.length === 0;

export const CONSENT = fault(
  "A debt in XNO ends in another currency only when its creditor says so.",
);
export const NAMED = fault("A transfer of XNO is named by its hash, and no other one is checked.");
export const UNSAID = fault("A transfer that no chain has shown is recorded with a reason.");
