import type { RowFold, Rows } from "./fold.ts";
import type { Entry, Figures, Made, Row } from "./told.ts";

/** Figures beside those of a record, which no single entry has. */
interface Beside<Books> {
  /** Those of a stored row that its record leaves out. */
  stored?(row: Row): Figures;
  /** Those that the ledger makes of a row, by its name. */
  made(name: string, books: Books, recorded: Made): Made;
  /** Told of every entry, as the rows are; resolves to the names of those whose figures it changes. */
  add?(entry: Entry, books: Books): readonly string[];
}

/** The rows of a table, with such figures beside. */
export function withFigures<Books>(rows: RowFold<Books>, beside: Beside<Books>): RowFold<Books> {
  let tell: (name: string) => void = () => {};
  const both = (name: string, recorded: Made, books: Books): Made => ({
    ...recorded,
    ...beside.made(name, books, recorded),
  });
  return {
    ...rows,
    stored(row, agentOf) {
      const [name, figures] = rows.stored(row, agentOf);
      return [name, { ...figures, ...beside.stored?.(row) }];
    },
    add(entry, books) {
      rows.add?.(entry, books);
      for (const name of beside.add?.(entry, books) ?? []) tell(name);
    },
    made(books): Rows<Made | null> {
      const own = rows.made(books);
      const withBeside = (name: string, each: Made | null | undefined) =>
        each == null ? each : both(name, each, books);
      return {
        get: (name) => withBeside(name, own.get(name)),
        set: (name, row) => own.set(name, row),
        delete: (name) => own.delete(name),
        *[Symbol.iterator]() {
          for (const [name, each] of own) yield [name, withBeside(name, each) ?? null];
        },
      };
    },
    row(name, books) {
      const recorded = rows.row?.(name, books);
      return recorded && both(name, recorded, books);
    },
    watch(told) {
      tell = told;
      rows.watch?.(told);
    },
  };
}
