export type CoinTables = Record<never, never>;
