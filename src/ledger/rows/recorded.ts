import type { Column, Literal } from "./columns.ts";
import type { AnyKindRows, Change, Changing, Making, TableRows } from "./effects.ts";
import { type RowFold, type Rows, watchedRows } from "./fold.ts";
import { packedRows } from "./packed-rows.ts";
import {
  type AgentOf,
  agentIn,
  countIn,
  type Entry,
  hashIn,
  type Made,
  near,
  type Row,
  type Told,
  UNSEALED,
  type Value,
} from "./told.ts";

/** Follows texts of a table that are taken away and given back, in rows that it changes itself. */
export type Removing = (
  table: string,
  rows: Rows<Made>,
  nameOf: (row: Row) => string,
) => {
  add(entry: Entry): void;
  /** Another entry has given a row its texts anew. */
  renewed(row: string): void;
};

/** What the entries of one kind do to the rows of one table. */
interface Of {
  readonly makings: readonly Making[];
  readonly changings: readonly Changing[];
}
const NONE: Of = { makings: [], changings: [] };

/** The rows of every table that kinds of entries make and change by their records. */
export function recordedRows(
  kinds: readonly AnyKindRows[],
  removing: Removing,
): readonly RowFold[] {
  const tables = new Map(
    kinds.flatMap(({ effects }) => effects.map(({ rows }) => [rows.table, rows] as const)),
  );
  return [...tables.values()].map((table) => recordedTable(table, kinds, removing));
}

function recordedTable(of: TableRows, kinds: readonly AnyKindRows[], removing: Removing): RowFold {
  const effects = new Map(kinds.map((each) => [each.entry.kind, ofTable(of, each)] as const));
  const { table, columns } = of;
  const { rows, watch } = watchedRows(packedRows());
  const nameOf = (row: Row, agentOf: AgentOf) =>
    rowNameOf(of, (column) => cellIn(column, row, agentOf));
  function cellIn(column: string, row: Row, agentOf: AgentOf): Value {
    const source = columns[column];
    if (source?.from === "entry") return source.stored(row);
    return source?.from === "agent" ? agentIn(row, column, agentOf) : row[column];
  }
  const removed = removing(table, rows, (row) =>
    rowNameOf(of, (column) => row[column] ?? row["id"]),
  );
  const hashed = hashedColumns(
    of,
    effects.values().flatMap(({ changings }) => changings),
  );
  const compared = Object.keys(columns).filter((column) => isCompared(of, column));

  return {
    table,
    stands: "at_commit",
    stored: (row, agentOf) => [
      nameOf(row, agentOf),
      Object.fromEntries(
        compared.map((column) => [
          column,
          hashed.has(column) ? hashIn(row, column) : cellIn(column, row, agentOf),
        ]),
      ),
    ],
    add(entry) {
      const { makings, changings } = effects.get(entry.kind) ?? NONE;
      for (const { when } of makings) {
        if (when?.(entry.body) === false) continue;
        const name = rowNameOf(of, (column) => toldBy(columns[column], entry));
        if (rows.get(name) !== undefined) removed.renewed(name);
        const made = compared.map((column) => [column, toldBy(columns[column], entry)]);
        rows.set(name, Object.fromEntries(made));
      }
      removed.add(entry);
      for (const changing of changings) {
        const name = changedName(changing, entry);
        const before = name === null ? undefined : rows.get(name);
        if (name !== null && before !== undefined)
          rows.set(name, { ...before, ...changedBy(changing, entry, before) });
      }
    },
    made: () => rows,
    row: (name) => rows.get(name),
    keyIn: (name) => keyIn(of, name),
    forms: Object.fromEntries(
      [...hashed].map((column) => {
        const source = columns[column];
        return [column, source?.from === "text" ? source.form : "text"];
      }),
    ),
    watch,
  };
}

const ofTable = (table: TableRows, { effects }: AnyKindRows): Of => {
  const own = effects.filter(({ rows }) => rows.table === table.table);
  return {
    makings: own.filter((each) => each.does === "make"),
    changings: own.filter((each) => each.does === "change"),
  };
};

/** Keys are compared by the name of the row. */
function isCompared({ key, columns }: TableRows, column: string): boolean {
  const from = columns[column]?.from;
  return !key.includes(column) && from !== "nowhere" && from !== "fold" && from !== "id";
}

function hashedColumns({ columns }: TableRows, changings: Iterable<Changing>): ReadonlySet<string> {
  const isText = (of: Column | Change | undefined) =>
    typeof of === "object" && of !== null && of.from === "text";
  const own = Object.keys(columns).filter((column) => isText(columns[column]));
  const later = [...changings].flatMap(({ set }) =>
    typeof set === "function" ? [] : Object.keys(set).filter((column) => isText(set[column])),
  );
  return new Set([...own, ...later]);
}

/** The name of a row: the word for its table, and its key. */
const rowNameOf = ({ named, key }: TableRows, valueIn: (column: string) => Told): string =>
  `${named} ${key.map((column) => String(valueIn(column))).join("/")}`;

/** The columns that the name of a row says; the last one has the rest. */
function keyIn({ named, key }: TableRows, name: string): ReturnType<NonNullable<RowFold["keyIn"]>> {
  const parts = name.slice(named.length + 1).split("/");
  const last = key.length - 1;
  const partOf = (i: number): string => (i < last ? (parts[i] ?? "") : parts.slice(last).join("/"));
  return Object.fromEntries(
    key.map((column, i) => [column, WHOLE.test(partOf(i)) ? Number(partOf(i)) : partOf(i)]),
  );
}

const WHOLE = /^(0|[1-9][0-9]{0,14})$/;

/** The value of a column of a new row, as far as its entry tells it. */
function toldBy(column: Column | undefined, entry: Entry): Told {
  const { body, kind, ref, at } = entry;
  switch (column?.from) {
    case "field":
      return body[column.field] ?? column.or ?? unsealedIn(column);
    case "text":
      return body[column.field] ?? unsealedIn(column);
    case "entry":
      return column.told(entry);
    case "id":
    case "agent":
      return body[column.field];
    case "time":
      return near(at);
    case "kind":
      return kind;
    case "ref":
      return ref;
    case "count":
      return countIn(entry);
    case "beginning":
      return column.value;
    default:
      return undefined;
  }
}

/** Entries of earlier versions lack the field. */
const unsealedIn = ({ is }: Column): Told => (is === "newly" ? UNSEALED : undefined);

/** The row that an entry changes; null when it names none. */
function changedName({ rows, key }: Changing, { body }: Entry): string | null {
  const fieldOf = (column: string): string => {
    const source = key[column] ?? rows.columns[column];
    return source !== undefined && "field" in source ? source.field : "";
  };
  const isNamed = rows.key.every((column) => body[fieldOf(column)] !== undefined);
  return isNamed ? rowNameOf(rows, (column) => body[fieldOf(column)]) : null;
}

const changedBy = ({ set }: Changing, entry: Entry, before: Made): Made =>
  Object.fromEntries(
    Object.entries<Change>((typeof set === "function" ? set(entry.body, before) : set) ?? {}).map(
      ([column, to]) => [column, valueAfter(to, entry, before[column])],
    ),
  );

function valueAfter(to: Change, entry: Entry, before: Told): Told {
  if (typeof to !== "object" || to === null) return to satisfies Literal;
  switch (to.from) {
    case "before":
      return Number(before) + to.plus;
    case "highest":
      return Math.max(Number(entry.body[to.field]), Number(before ?? 0));
    default:
      return toldBy(to, entry);
  }
}
