/** Unix seconds, an integer. The network's time never runs behind the last ledger entry. */
export type Seconds = number;

export const MINUTE_S = 60;
export const HOUR_S = 3_600;
export const DAY_S = 86_400;

export const days = (n: number): Seconds => n * DAY_S;

/** The UTC day that a moment lies in, counted from 1970-01-01. */
export const dayOf = (at: Seconds): number => Math.floor(at / DAY_S);
