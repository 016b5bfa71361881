export type AppTables = Record<never, never>;
