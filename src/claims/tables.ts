export type ClaimTables = Record<never, never>;
