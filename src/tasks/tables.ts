export type TaskTables = Record<never, never>;
