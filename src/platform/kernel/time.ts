/** Unix seconds, an integer. The network's time never runs behind the last ledger entry. */
export type Seconds = number;

export const MINUTE_S = 60;
export const HOUR_S = 3_600;
export const DAY_S = 86_400;

export const days = (n: number): Seconds => n * DAY_S;
