import type { Db } from "../src/platform/db/engine.ts";

interface Watching {
  /** Called when a query is asked; the query waits for it. */
  readonly before?: () => unknown;
  readonly after?: (rows: readonly unknown[]) => void;
}

/** The same reads, of which a test sees every query that answers rows. */
export const watchedReads = (read: Db, { before, after }: Watching): Db => ({
  compiler: read.compiler,
  run: (plan, values) => read.run(plan, values),
  async all(plan, values) {
    await before?.();
    const rows = await read.all(plan, values);
    after?.(rows);
    return rows;
  },
});
