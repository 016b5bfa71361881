export type RequestTables = Record<never, never>;
