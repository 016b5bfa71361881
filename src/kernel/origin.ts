/** An origin line ends with `#<epoch>` after a restore; the first epoch is not written. */
const EPOCH = /#(\d{1,9})$/;

/** The epoch that an origin line names (docs/reference/ledger.md, A new epoch). */
export const epochOf = (origin: string): number => Number(EPOCH.exec(origin)?.[1] ?? 1);

/** The origin that the chain began with. */
export const firstOrigin = (origin: string): string => origin.replace(EPOCH, "");
