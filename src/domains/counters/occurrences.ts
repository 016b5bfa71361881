import type { Context, Occurrence, Occurrences } from "../../platform/context.ts";
import { countNamed } from "./counts.ts";
import * as sql from "./queries.ts";

/** The counts of this process, and how they get into the common ones. */
export interface KeptOccurrences extends Occurrences {
  /** Stores what was counted since the last call. What a crash loses is a few seconds of counts. */
  flush(context: Pick<Context, "write">): Promise<void>;
}

/** Counts in memory, so that a refusal costs no write. */
export function occurrencesOf(): KeptOccurrences {
  const counts = new Map<Occurrence, number>();
  const add = (what: Occurrence, n: number): void =>
    void counts.set(what, (counts.get(what) ?? 0) + n);

  return {
    count: (what) => add(what, 1),
    unsaved: (what) => counts.get(what) ?? 0,
    async flush({ write }) {
      const seen = [...counts].filter(([, n]) => n > 0);
      if (seen.length === 0) return;
      const rows = seen.toSorted().map(([name, n]) => ({ name, n, usd: 0, usd_micro: 0 }));
      await write((tx) => sql.addToCounters(tx, rows));
      for (const [what, n] of seen) add(what, -n);
    },
  };
}

/** How often something has happened, on all nodes; each process adds what it has not stored yet. */
export async function happened(
  { read, occurrences }: Pick<Context, "read" | "occurrences">,
  what: Occurrence,
): Promise<number> {
  return (await countNamed(read, what)).n + occurrences.unsaved(what);
}
