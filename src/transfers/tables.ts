export type TransferTables = Record<never, never>;
