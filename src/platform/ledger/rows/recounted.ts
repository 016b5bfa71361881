import type { RowFold } from "./fold.ts";
import { type Entry, rowName } from "./told.ts";
import { withFigures } from "./with-figures.ts";

/** What an entry adds to each count of the row that it names; a count that it leaves out stays. */
export type Additions = Readonly<Record<string, number>>;

/**
 * The rows of a table with counts that are made a second time, without the record that the writer raises them by: a
 * wrong sign or a forgotten kind in the record is then found. `begin` is what a new row counts.
 */
export function recounted<Books>(
  rows: RowFold<Books>,
  { named, field, begin }: { named: string; field: string; begin: Additions },
  additionsOf: (entry: Entry) => Additions | null,
): RowFold<Books> {
  const counts = new Map<string, Record<string, number>>();
  return withFigures(rows, {
    made: (name) => counts.get(name) ?? begin,
    add(entry) {
      const additions = additionsOf(entry);
      if (additions === null) return [];
      const name = rowName(named, entry.body[field]);
      const sums = counts.get(name) ?? { ...begin };
      for (const [count, by] of Object.entries(additions)) sums[count] = (sums[count] ?? 0) + by;
      counts.set(name, sums);
      return [name];
    },
  });
}
