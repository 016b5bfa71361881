export type CommonsTables = Record<never, never>;
