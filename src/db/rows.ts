import { type Insertable, PostgresAdapter, sql } from "kysely";
import type { Tx } from "./engine.ts";
import { prepared } from "./prepared.ts";
import type { Tables } from "./tables.ts";

/** The type of a column, as PostgreSQL calls it. */
type ColumnType = "bigint" | "bytea" | "text";

/** Columns and their types. */
type Columns = Readonly<Record<string, ColumnType>>;

/** One list of values for each column; all have the same length. */
export type Lists<Of extends Columns> = { readonly [Name in keyof Of]: readonly unknown[] };

/**
 * `unnest(…)` of a list for each column, which PostgreSQL reads as a table: the parameters of one
 * statement for any number of rows.
 */
export const listed = <Of extends Columns>(columns: Of, lists: Lists<Of>) =>
  sql`unnest(${sql.join(
    Object.entries(columns).map(([name, type]) => sql`${lists[name]}::${sql.raw(type)}[]`),
  )})`;

/** The lists of these columns of `rows`. */
export function listsOf<Of extends Columns>(
  columns: Of,
  rows: readonly Readonly<Record<keyof Of, unknown>>[],
): Lists<Of> {
  const listOf = (name: keyof Of) => rows.map((row) => row[name]);
  const lists = Object.keys(columns).map((name) => [name, listOf(name)]);
  return Object.fromEntries(lists) as Lists<Of>;
}

/**
 * Inserts rows into a table, with the columns that are named: by one statement on PostgreSQL, where
 * each is a message to another process, and by one for each row on SQLite, where it is a call.
 */
export function inserting<
  Name extends keyof Tables & string,
  Column extends keyof Tables[Name] & string,
>(
  table: Name,
  columns: Readonly<Record<Column, ColumnType>>,
): (tx: Tx, rows: readonly Readonly<Pick<Tables[Name], Column>>[]) => Promise<void> {
  type Row = Readonly<Pick<Tables[Name], Column>>;
  const names = Object.keys(columns) as Column[];
  const one = prepared((db, row: Row) =>
    db.insertInto(table).values(row as unknown as Insertable<Tables[Name]>),
  );
  const all = prepared((db, lists: Lists<typeof columns>) =>
    db
      .insertInto(table)
      .columns(names)
      .expression(sql`select * from ${listed(columns, lists)}`),
  );
  return async (tx, rows) => {
    if (rows.length === 0) return;
    if (tx.compiler.getExecutor().adapter instanceof PostgresAdapter)
      await all.run(tx, listsOf(columns, rows));
    else await Promise.all(rows.map((row) => one.run(tx, row)));
  };
}
