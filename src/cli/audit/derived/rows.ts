import { watchedRows } from "../../../ledger/rows/fold.ts";
import { packedRows } from "../../../ledger/rows/packed-rows.ts";
import {
  type AgentOf,
  type Entry,
  type Figures,
  type Made,
  near,
  type Row,
  rowName,
  UNSEALED,
  type Value,
} from "../../../ledger/rows/told.ts";
import { sha256IfAny } from "../../../ledger/sha256.ts";
import type { Books } from "../replay.ts";
import { removing } from "./removals.ts";
import type { DerivedTable } from "./table.ts";

/** Columns by the field of the body that determines them. */
type Fields = Readonly<Record<string, string>>;

/** A table with a row for each entry of some kinds. */
interface Shape {
  readonly table: string;
  readonly kinds: readonly string[];
  /** Whether an entry of these kinds makes a row; default: all do. */
  readonly when?: (entry: Entry) => boolean;
  /** The name of a row, as its columns and as its entry say it. */
  readonly id: {
    readonly row: (row: Row, agentOf: AgentOf) => string;
    readonly entry: (entry: Entry) => string;
  };
  /** Columns whose value is in the entry; both may lack it. */
  readonly columns?: Fields;
  /** Texts of which the entry has the SHA-256. */
  readonly hashed?: Fields;
  /** The same of fields that entries of earlier versions lack. */
  readonly newly?: Fields;
  readonly newlyHashed?: Fields;
  /** Columns that name an agent by the number of its row. */
  readonly agents?: readonly string[];
  /** Columns that have the second of the entry. */
  readonly times?: readonly string[];
  /** Figures that are more than a field of the body. */
  readonly more?: {
    readonly row: (row: Row, agentOf: AgentOf) => Figures;
    readonly entry: (entry: Entry) => Made;
  };
  /** What later entries change: of which rows one speaks, if of any, and their figures from then on. */
  readonly later?: {
    readonly of: (entry: Entry) => readonly string[];
    readonly figures: (entry: Entry, before: Made, books: Books) => Made;
  };
}

/** A row as its entries have it, column by column. */
export function entryRows(shape: Shape): DerivedTable {
  const { table, kinds, id, agents = [], more, later } = shape;
  const { rows, watch } = watchedRows(packedRows());
  const removed = removing(table, rows, (row) => id.row(row, String));
  return {
    table,
    stands: "at_commit",
    stored: (row, agentOf) => {
      const own: Record<string, Value> = {};
      for (const column of Object.keys({ ...shape.columns, ...shape.newly }))
        own[column] = agents.includes(column) ? agentIn(row, column, agentOf) : row[column];
      for (const column of Object.keys({ ...shape.hashed, ...shape.newlyHashed }))
        own[column] = hashIn(row, column);
      for (const column of shape.times ?? []) own[column] = row[column];
      return [id.row(row, agentOf), { ...own, ...more?.row(row, agentOf) }];
    },
    add(entry, books) {
      if (kinds.includes(entry.kind) && (shape.when?.(entry) ?? true)) {
        const name = id.entry(entry);
        if (rows.get(name) !== undefined) removed.renewed(name);
        rows.set(name, { ...madeBy(shape, entry), ...more?.entry(entry) });
      }
      removed.add(entry);
      for (const name of later?.of(entry) ?? []) {
        const before = rows.get(name);
        if (before !== undefined)
          rows.set(name, { ...before, ...later?.figures(entry, before, books) });
      }
    },
    made: () => rows,
    row: (name) => rows.get(name),
    texts: Object.keys({ ...shape.hashed, ...shape.newlyHashed }),
    watch,
  };
}

function madeBy({ columns, hashed, newly, newlyHashed, times }: Shape, { body, at }: Entry): Made {
  const own: Record<string, Made[string]> = {};
  for (const [column, field] of Object.entries({ ...columns, ...hashed }))
    own[column] = body[field];
  for (const [column, field] of Object.entries({ ...newly, ...newlyHashed }))
    own[column] = body[field] ?? UNSEALED;
  for (const column of times ?? []) own[column] = near(at);
  return own;
}

/** Figures that all entries together make, by the number of their row. */
interface Folded<Each> {
  /** What the rows' numbers are of: the first word of their names. */
  readonly name: string;
  readonly in: (books: Books) => ReadonlyMap<number, Each>;
  readonly figures: (each: Each, books: Books, name: string) => Figures;
}

/** Rows with such figures beside. */
export function withFigures<Each>(
  rows: DerivedTable,
  row: (row: Row) => Figures,
  folded: Folded<Each>,
): DerivedTable {
  const both = (name: string, each: Each, books: Books): Made => ({
    ...rows.row?.(name, books),
    ...folded.figures(each, books, name),
  });
  return {
    ...rows,
    stored: (stored, agentOf) => {
      const [name, figures] = rows.stored(stored, agentOf);
      return [name, { ...figures, ...row(stored) }];
    },
    made: (books) =>
      new Map(
        [...folded.in(books)].map(([id, each]) => {
          const name = rowName(folded.name, id);
          return [name, both(name, each, books)];
        }),
      ),
    row: (name, books) => {
      const each = folded.in(books).get(Number(name.slice(folded.name.length + 1)));
      return each === undefined ? undefined : both(name, each, books);
    },
  };
}

/** The name of an agent whose row has the number in a column; nothing where that is empty. */
export const agentIn = (row: Row, column: string, agentOf: AgentOf): Value =>
  row[column] === null ? null : agentOf(row[column]);

/** The SHA-256 of a text; nothing where there is none. */
export const hashIn = (row: Row, column: string): string | undefined =>
  sha256IfAny(row[column] == null ? null : `${row[column]}`);

/** The last part of a ref that counts. */
export const countIn = ({ ref }: Entry): number => Number(ref.slice(ref.lastIndexOf("/") + 1));

/** Rows with a number of their own, which stands in the entry under a name. */
export const numbered = (name: string, field: string) => ({
  row: (row: Row) => rowName(name, row["id"]),
  entry: ({ body }: Entry) => rowName(name, body[field]),
});

/** What the operator did, and why: a row for each entry, with its kind and ref. */
export const notices = (table: string, kinds: readonly string[], object: Fields): DerivedTable =>
  entryRows({
    table,
    kinds,
    id: {
      row: ({ kind, ref }) => `${kind} ${ref}`,
      entry: ({ kind, ref }) => `${kind} ${ref}`,
    },
    columns: object,
    agents: ["agent"],
    hashed: { reason: "reason_sha256" },
    times: ["created_at"],
  });
