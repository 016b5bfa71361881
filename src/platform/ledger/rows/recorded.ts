import type { Column, Literal, Made as MadeColumn, TextForm } from "./columns.ts";
import {
  type AnyKindRows,
  type Change,
  type Changing,
  listedIn,
  type Making,
  type TableRows,
} from "./effects.ts";
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
  const effects = effectsOn(of, kinds);
  const { table, columns } = of;
  const { rows, watch } = watchedRows(packedRows());
  const nameOf = (row: Row, agentOf: AgentOf) =>
    rowNameOf(of, (column) => cellIn(column, row, agentOf));
  const changings = effects
    .values()
    .flatMap((each) => each.changings)
    .toArray();
  const { hashed, own } = ownForms(of, changings);
  function cellIn(column: string, row: Row, agentOf: AgentOf): Value {
    if (hashed.has(column)) return hashIn(row, column);
    const made = own.get(column);
    if (made !== undefined) return made.stored(row);
    return columns[column]?.from === "agent" ? agentIn(row, column, agentOf) : row[column];
  }
  const removed = removing(table, rows, (row) =>
    rowNameOf(of, (column) => row[column] ?? row["id"]),
  );
  const compared = Object.keys(columns).filter((column) => isCompared(of, column));

  return {
    table,
    stands: "at_commit",
    stored: (row, agentOf) => [
      nameOf(row, agentOf),
      Object.fromEntries(compared.map((column) => [column, cellIn(column, row, agentOf)])),
    ],
    add(entry) {
      const does = effects.get(entry.kind);
      if (does === undefined) return removed.add(entry);
      const { makings, changings } = does;
      for (const making of makings) {
        if (making.when?.(entry.body) === false) continue;
        const toldIn = (column: string) => toldBy(making.rows.columns[column], entry);
        const name = rowNameOf(of, toldIn);
        if (rows.get(name) !== undefined) removed.renewed(name);
        const made = compared.map((column) => [column, toldIn(column)]);
        rows.set(name, Object.fromEntries(made));
      }
      removed.add(entry);
      for (const changing of changings) {
        if (changing.when?.(entry.body) === false) continue;
        for (const name of changedNames(changing, entry)) {
          const before = rows.get(name);
          if (before !== undefined)
            rows.set(name, { ...before, ...changedBy(changing, entry, before) });
        }
      }
    },
    made: () => rows,
    row: (name) => rows.get(name),
    keyIn: (name) => keyIn(of, name),
    forms: Object.fromEntries([
      ...hashed,
      ...own.entries().flatMap(([column, { form }]) => (form ? [[column, form] as const] : [])),
    ]),
    watch,
  };
}

/** What each kind does to the rows of a table; most kinds do nothing to them, and every table is told of every entry. */
function effectsOn({ table }: TableRows, kinds: readonly AnyKindRows[]): ReadonlyMap<string, Of> {
  return new Map(
    kinds.flatMap(({ entry: { kind }, effects }) => {
      const own = effects.filter(({ rows }) => rows.table === table);
      const makings = own.filter((each) => each.does === "make");
      const changings = own.filter((each) => each.does === "change");
      return own.length === 0 ? [] : [[kind, { makings, changings }] as const];
    }),
  );
}

/** Keys are compared by the name of the row. */
function isCompared({ key, columns }: TableRows, column: string): boolean {
  const from = columns[column]?.from;
  return !key.includes(column) && from !== undefined && !NOT_COMPARED.has(from);
}

const NOT_COMPARED: ReadonlySet<Column["from"]> = new Set(["nowhere", "fold", "id", "number"]);

/** Columns with texts that are compared by their hashes, and columns that are compared in a way of their own. */
function ownForms({ columns }: TableRows, changings: readonly Changing[]) {
  const sources = [
    ...changings.flatMap(({ set }) => (typeof set === "function" ? [] : Object.entries(set))),
    ...Object.entries<Column | Change>(columns),
  ];
  const hashed = new Map<string, TextForm>();
  const own = new Map<string, MadeColumn>();
  for (const [column, source] of sources) {
    if (typeof source !== "object" || source === null) continue;
    if (source.from === "text") hashed.set(column, source.form);
    if (source.from === "entry") own.set(column, source);
  }
  return { hashed, own };
}

/** The name of a row: the word for its table, and its key. */
const rowNameOf = ({ named, key }: TableRows, valueIn: (column: string) => Told): string =>
  `${named} ${key.map((column) => String(valueIn(column))).join("/")}`;

/** The columns that the name of a row says; the last one has the rest. */
function keyIn(
  { named, key, columns }: TableRows,
  name: string,
): ReturnType<NonNullable<RowFold["keyIn"]>> {
  const parts = name.slice(named.length + 1).split("/");
  const last = key.length - 1;
  const partOf = (i: number): string => (i < last ? (parts[i] ?? "") : parts.slice(last).join("/"));
  const own = key.map((column, i) => [
    column,
    WHOLE.test(partOf(i)) ? Number(partOf(i)) : partOf(i),
  ]);
  // The replay of an audit gives a number to each name.
  return Object.fromEntries(columns["id"]?.from === "number" ? [["id", partOf(0)], ...own] : own);
}

const WHOLE = /^(0|[1-9][0-9]{0,14})$/;

/** The value of a column of a new row, as far as its entry tells it. */
function toldBy(column: Column | undefined, entry: Entry): Told {
  const { body, kind, ref, at } = entry;
  switch (column?.from) {
    case "field":
      return body[column.field] ?? column.or;
    case "entry":
      return column.told(entry);
    case "id":
    case "agent":
    case "text":
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

/** The rows that an entry changes; none when it names none. */
function changedNames({ rows, key }: Changing, { body }: Entry): readonly string[] {
  const listed = Object.values(key).find((source) => source.from === "list");
  const partOf = (column: string, number: number | undefined): Told => {
    const source = key[column] ?? rows.columns[column];
    if (source?.from === "list") return number;
    return source !== undefined && "field" in source ? body[source.field] : undefined;
  };
  return (listed === undefined ? [undefined] : listedIn(listed, body)).flatMap((number) => {
    const isNamed = rows.key.every((column) => partOf(column, number) !== undefined);
    return isNamed ? [rowNameOf(rows, (column) => partOf(column, number))] : [];
  });
}

function changedBy({ rows, set }: Changing, entry: Entry, before: Made): Made {
  const changes = (typeof set === "function" ? set(entry.body, before) : set) ?? {};
  return Object.fromEntries(
    Object.entries<Change>(changes)
      .filter(([column]) => isCompared(rows, column))
      .map(([column, to]) => [column, valueAfter(to, entry, { before, column })]),
  );
}

interface Changed {
  readonly before: Made;
  readonly column: string;
}

function valueAfter(to: Change, entry: Entry, { before, column }: Changed): Told {
  if (typeof to !== "object" || to === null) return to satisfies Literal;
  switch (to.from) {
    case "before":
      return Number(before[column]) + to.plus;
    case "highest":
      return Math.max(Number(entry.body[to.field]), Number(before[column] ?? 0));
    case "column":
      return before[to.column];
    default:
      return toldBy(to, entry);
  }
}
