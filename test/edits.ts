import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { columnsOf, TABLE_CLASSES } from "../src/domains/rows.ts";
import { OCCURRENCES } from "../src/platform/context.ts";
import { type Class, DETERMINED } from "../src/platform/ledger/rows/columns.ts";

type Cell = SQLInputValue | undefined;
type Row = Readonly<Record<string, SQLInputValue>>;
type Roll = (sides: number) => number;

/** Where rows or cells of them follow from nothing, or may be missing. */
export const WHERE: Readonly<Record<string, string>> = {
  counter: `n <> 0 AND name NOT IN (${OCCURRENCES.map((name) => `'${name}'`).join()})`,
  market_figure: "amount <> '0'",
  coin_balance: "balance <> 0",
  capability_count: "agents <> 0",
  agent_tally: "claim + repo + repo_commit + app + answered_request + passed_task + verdict > 0",
  "market_order.deliver_by": "holds = 0",
  "market_order.refund_at": "holds = 0",
  "market_order.accept_by": "holds = 0",
  "task_submission.payload_bytes": "payload <> ''",
  "repository_blob.bytes": "(purged_at IS NULL OR purge_reason IS NOT NULL)",
};

/** One change of a database file. */
export interface Edit {
  readonly what: string;
  readonly table: string;
  /** Null for a row that goes, comes or changes places. */
  readonly column: string | null;
  /** False when the schema allows no such change, or there is no such row. */
  apply(file: string, roll: Roll): boolean;
}

/** Every column that the ledger determines, and every operation on the rows of its table. */
export function edits(): readonly Edit[] {
  const columns = columnsOf(...DETERMINED);
  const tables = [...new Set(columns.map(([table]) => table))];
  return [
    ...columns.flatMap(([table, column]) => [
      cellEdit("changed", table, column, changedCell),
      cellEdit("of another row", table, column, otherCell),
      cellEdit("emptied", table, column, emptiedCell),
    ]),
    ...tables.flatMap((table) => [
      rowEdit("deleted", table, deleted),
      rowEdit("doubled", table, doubled),
      rowEdit("swapped", table, swapped),
    ]),
  ];
}

/** Columns of which the audit tells nothing: a change of one changes no figure. */
export const freeEdits = (): readonly Edit[] =>
  columnsOf("private", "local").map(([table, column]) =>
    cellEdit("changed", table, column, changedCell),
  );

const CLASSES = new Map<string, Class>(
  Object.entries(TABLE_CLASSES).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, is]) => [`${table}.${column}`, is] as const),
  ),
);

export const classOf = (table: string, column: string): Class | undefined =>
  CLASSES.get(`${table}.${column}`);

type NewCell = (
  old: SQLInputValue,
  rows: readonly Row[],
  of: { table: string; column: string; roll: Roll },
) => Cell;

function cellEdit(what: string, table: string, column: string, next: NewCell): Edit {
  return {
    what: `${table}.${column} ${what}`,
    table,
    column,
    apply: (file, roll) =>
      changing(file, (database) => {
        const all = rowsOf(database, table, column);
        const rows = all.filter((row) => row[column] !== null);
        for (const row of turned(rows, roll)) {
          const old = row[column] ?? null;
          const value = next(old, all, { table, column, roll });
          if (value === undefined || same(value, old)) continue;
          if (update(database, table, row, { [column]: value })) return true;
        }
        return false;
      }),
  };
}

/** By so much a time is changed: far more than a row may be older than its entry. */
export const HOUR_S = 3_600;

const changedCell: NewCell = (old, _, { table, column, roll }) => {
  if (typeof old === "number" || typeof old === "bigint")
    return Number(old) + (classOf(table, column) === "timed" ? HOUR_S : 1);
  if (typeof old === "string") {
    const at = roll(old.length);
    return `${old.slice(0, at)}${old[at] === "7" ? "8" : "7"}${old.slice(at + 1)}`;
  }
  if (old === null) return undefined;
  const bytes = Uint8Array.from(old as Uint8Array);
  const at = roll(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};

/** A time of another row may be that of the same minute; then it is no change that anybody could tell. */
const otherCell: NewCell = (old, rows, { table, column }) => {
  const isTime = classOf(table, column) === "timed";
  const isFar = (value: SQLInputValue) => !isTime || Math.abs(Number(value) - Number(old)) > HOUR_S;
  const other = rows.find((row) => !same(row[column] ?? null, old) && isFar(row[column] ?? null));
  return other?.[column] ?? undefined;
};

const emptiedCell: NewCell = () => null;

function rowEdit(
  what: string,
  table: string,
  run: (database: DatabaseSync, table: string, rows: readonly Row[]) => boolean,
): Edit {
  const apply: Edit["apply"] = (file, roll) =>
    changing(file, (database) => run(database, table, turned(rowsOf(database, table), roll)));
  return { what: `${table} ${what}`, table, column: null, apply };
}

const deleted = (database: DatabaseSync, table: string, [row]: readonly Row[]): boolean => {
  if (row === undefined) return false;
  const { text, values } = where(row);
  return attempt(() => database.prepare(`DELETE FROM ${table} WHERE ${text}`).run(...values));
};

function doubled(database: DatabaseSync, table: string, rows: readonly Row[]): boolean {
  return rows.some((row) => {
    const keys = keysOf(database, table).filter((name) => typeof row[name] === "number");
    const cells = { ...row, ...Object.fromEntries(keys.map((name) => [name, 987_654])) };
    const names = Object.keys(cells);
    const insert = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    return attempt(() => database.prepare(insert).run(...Object.values(cells)));
  });
}

/** Two rows exchange all that the ledger determines, but not their keys, if these mean anything. */
function swapped(database: DatabaseSync, table: string, rows: readonly Row[]): boolean {
  const keys = keysOf(database, table);
  if (keys.every((name) => classOf(table, name) === "local")) return false;
  const names = columnsOf("sealed", "derived")
    .filter(([name, column]) => name === table && !keys.includes(column))
    .map(([, column]) => column);
  const of = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
  const [one] = rows;
  const other = rows.find(
    (row) => one && names.some((name) => !same(row[name] ?? null, one[name] ?? null)),
  );
  if (one === undefined || other === undefined) return false;
  return update(database, table, one, of(other)) && update(database, table, other, of(one));
}

const same = (a: SQLInputValue, b: SQLInputValue): boolean =>
  a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : a === b;

const turned = (rows: readonly Row[], roll: Roll): readonly Row[] => {
  const at = rows.length === 0 ? 0 : roll(rows.length);
  return [...rows.slice(at), ...rows.slice(0, at)];
};

const rowsOf = (database: DatabaseSync, table: string, column = ""): readonly Row[] => {
  const both = [WHERE[table], WHERE[`${table}.${column}`]].filter((text) => text !== undefined);
  const text = both.length === 0 ? "" : `WHERE ${both.join(" AND ")}`;
  return database.prepare(`SELECT * FROM ${table} ${text}`).all() as unknown as Row[];
};

const keysOf = (database: DatabaseSync, table: string): readonly string[] =>
  database
    .prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0")
    .all(table)
    .map((row) => String(row["name"]));

function where(row: Row) {
  const names = Object.keys(row).filter((name) => row[name] !== null);
  return {
    text: names.map((name) => `${name} = ?`).join(" AND "),
    values: names.map((name) => row[name] ?? null),
  };
}

function update(database: DatabaseSync, table: string, row: Row, cells: Row): boolean {
  const { text, values } = where(row);
  const set = Object.keys(cells).map((name) => `${name} = ?`);
  const change = `UPDATE ${table} SET ${set.join()} WHERE ${text}`;
  return attempt(() => database.prepare(change).run(...Object.values(cells), ...values));
}

/** Whether it changed a row; false when the schema refuses it. */
function attempt(run: () => { readonly changes: number | bigint }): boolean {
  try {
    return Number(run().changes) > 0;
  } catch {
    return false;
  }
}

/** No trigger and no check stands in the way, as for somebody who has the file and knows SQL. */
function changing(file: string, change: (database: DatabaseSync) => boolean): boolean {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
    const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers.all()) database.exec(`DROP TRIGGER "${name}"`);
    return change(database);
  } finally {
    database.close();
  }
}
