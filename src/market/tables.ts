export type MarketTables = Record<never, never>;
