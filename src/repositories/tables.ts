export type RepositoryTables = Record<never, never>;
