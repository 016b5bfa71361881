import type { Plan } from "../src/db/engine.ts";

// Far beyond the plans of the service itself, which count from 0.
let next = 1_000_000;

/** A statement as text, where a test must do what no part of the service does. */
export const statement = (sql: string): Plan => ({ index: next++, sql });
