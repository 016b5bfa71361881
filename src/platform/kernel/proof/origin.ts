/** An origin line ends with `#<epoch>` after a restore; the first epoch is not written. */
const EPOCH = /#(\d{1,9})$/;

/** The epoch that an origin line names (docs/reference/ledger.md, A new epoch). */
export const epochOf = (origin: string): number => Number(EPOCH.exec(origin)?.[1] ?? 1);

/** The origin that the chain began with. */
export const firstOrigin = (origin: string): string => origin.replace(EPOCH, "");

/** A log has the name of its ledger, then /log, then what also ends its address. */
const LOG_NAME = /^(.+)\/log((?:\/[1-9]\d{0,8}){0,2})$/;

/** The ledger that the name of a log names, and the end of its address; null for another name. */
export function ledgerOfLog(
  name: string,
): { readonly ledger: string; readonly suffix: string } | null {
  const [, ledger, suffix = ""] = LOG_NAME.exec(name) ?? [];
  return ledger === undefined ? null : { ledger, suffix };
}
