import type { Context } from "../src/platform/context.ts";
import type { Plan } from "../src/platform/db/engine.ts";

// Far beyond the plans of the service itself, which count from 0.
let next = 1_000_000;

/** A statement as text, where a test must do what no part of the service does. */
export const statement = (sql: string): Plan => ({
  index: next++,
  sql,
  inserts: sql.startsWith("insert"),
});

/** The text of a trigger of SQLite, for a test that takes it away for a moment. */
export async function triggerOf(
  { context }: { readonly context: Pick<Context, "read"> },
  name: string,
): Promise<string> {
  const query = statement(`select sql from sqlite_schema where name = '${name}'`);
  return Object((await context.read.all(query, []))[0]).sql;
}
