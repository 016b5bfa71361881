import {
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectType,
  sql,
} from "kysely";
import type { Db, Grouped, Tx } from "./engine.ts";
import { insertNumbered, type NumberedTable, type Prepared, prepared } from "./prepared.ts";
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

/** The same as a table in parentheses, with these columns. */
export const rowsIn = <Row>(columns: Columns, lists: Lists<Columns>): RawBuilder<Row> =>
  sql<Row>`(select * from ${listed(columns, lists)} as t (${sql.join(
    Object.keys(columns).map((name) => sql.ref(name)),
  )}))`;

function listsOf<Of extends Columns>(
  columns: Of,
  rows: readonly Readonly<Record<keyof Of, unknown>>[],
): Lists<Of> {
  const listOf = (name: keyof Of) => rows.map((row) => row[name]);
  const lists = Object.keys(columns).map((name) => [name, listOf(name)]);
  return Object.fromEntries(lists) as Lists<Of>;
}

/** Whether statements are messages to another process, or calls. */
const isServed = ({ compiler }: Db): boolean => isPostgres(compiler);

const isPostgres = (compiler: Kysely<Tables>): boolean =>
  compiler.getExecutor().adapter instanceof PostgresAdapter;

/** One of two forms of a query, where the engines have no common one. */
export const perEngine = <Form>(
  compiler: Kysely<Tables>,
  forms: { readonly sqlite: () => Form; readonly postgres: () => Form },
): Form => (isPostgres(compiler) ? forms.postgres() : forms.sqlite());

/** Whether a column has one of the values of a JSON list, which is one parameter however long it is. */
export const isOneOf = (
  compiler: Kysely<Tables>,
  column: string,
  type: "bigint" | "text",
  json: string,
): RawBuilder<boolean> =>
  perEngine(compiler, {
    sqlite: () => sql<boolean>`${sql.ref(column)} in (select value from json_each(${json}))`,
    postgres: () =>
      sql<boolean>`${sql.ref(column)} = any (array(
        select value::${sql.raw(type)} from json_array_elements_text(${json}::json)))`,
  });

/** The integers of a JSON list as a table with the column `value`. */
export const valuesOf = (compiler: Kysely<Tables>, json: string) =>
  perEngine(compiler, {
    sqlite: () => sql<{ value: number }>`(select value from json_each(${json}))`,
    postgres: () =>
      sql<{ value: number }>`(select value::bigint from json_array_elements_text(${json}::json))`,
  });

/** The same of texts. */
export const textsOf = (compiler: Kysely<Tables>, json: string) =>
  perEngine(compiler, {
    sqlite: () => sql<{ value: string }>`(select value from json_each(${json}))`,
    postgres: () =>
      sql<{ value: string }>`(select value from json_array_elements_text(${json}::json))`,
  });

/**
 * A text to compare a column with, of which the planner sees no value. SQLite prepares a statement anew
 * each time it runs where a value could match the condition of a partial index, as `stage = 'open'`.
 */
export const unplanned = <Text extends string>(value: Text): RawBuilder<Text> =>
  sql<Text>`${value} || ''`;

/**
 * The bytes of a column as one text in hex, in the order of another column; null without rows. A value
 * for each row takes twice as long to hand over. The rows must come in this order: SQLite keeps it,
 * and would sort a second time if asked; PostgreSQL could gather them by several processes.
 */
export const joinedHex = (
  compiler: Kysely<Tables>,
  column: string,
  order: string,
): RawBuilder<string | null> =>
  isPostgres(compiler)
    ? sql`encode(string_agg(${sql.ref(column)}, '' order by ${sql.ref(order)}), 'hex')`
    : sql`group_concat(hex(${sql.ref(column)}), '')`;

/** The texts of a column as one, with a comma between two; null without rows. */
export const joinedTexts = (compiler: Kysely<Tables>, column: string): RawBuilder<string | null> =>
  perEngine(compiler, {
    sqlite: () => sql<string | null>`group_concat(${sql.ref(column)}, ',')`,
    postgres: () => sql<string | null>`string_agg(${sql.ref(column)}, ',')`,
  });

/**
 * A change of at most one row that resolves to what the row is then, or to undefined when none was
 * changed. PostgreSQL returns it with the change. SQLite is asked for it afterwards: a RETURNING makes
 * it copy every page that it changes and keep the answer in a table, which takes longer than both.
 */
export function changingOne<P extends object, Row>(
  change: Prepared<P, Tx, unknown>,
  returning: Prepared<P, Tx, Row>,
  after: Prepared<NoInfer<P>, Db, Row>,
): (tx: Tx, params: P) => Promise<Row | undefined> {
  return async (tx, params) => {
    if (isServed(tx)) return returning.first(tx, params);
    return (await change.run(tx, params)) === 0 ? undefined : after.first(tx, params);
  };
}

/**
 * One change made for many rows: by `all` at once on PostgreSQL, where a statement is a message to
 * another process, and by `one` for each on SQLite, where it is a call. Resolves to the number of
 * rows changed.
 */
export function changing<Of extends Columns, Row extends Readonly<Record<keyof Of, unknown>>>(
  columns: Of,
  one: Prepared<Row, Tx, unknown>,
  all: Prepared<Lists<Of>, Tx, unknown>,
): (tx: Tx, rows: readonly Row[]) => Promise<number> {
  return async (tx, rows) => {
    if (rows.length === 0) return 0;
    if (isServed(tx)) return all.run(tx, listsOf(columns, rows));
    const changed = await Promise.all(rows.map((row) => one.run(tx, row)));
    return changed.reduce((sum, count) => sum + count);
  };
}

/**
 * The same for changes that resolve to something: `all` to a list of what it came to, for as many of
 * the rows as it holds for; `one` to that of its row, or to undefined.
 */
export function changingEach<
  Of extends Columns,
  Row extends Readonly<Record<keyof Of, unknown>>,
  Done,
>(
  columns: Of,
  one: (tx: Tx, row: Row) => Promise<Done | undefined>,
  all: Prepared<Lists<Of>, Tx, Done>,
): (tx: Tx, rows: readonly Row[]) => Promise<readonly Done[]> {
  return async (tx, rows) => {
    if (isServed(tx)) return all.all(tx, listsOf(columns, rows));
    const done: Done[] = [];
    for (const row of rows) {
      const came = await one(tx, row);
      if (came !== undefined) done.push(came);
    }
    return done;
  };
}

/**
 * Takes the locks of rows, in the order of the query, before anything is changed. On SQLite, with its
 * one writer, there is nothing to take.
 */
export const locking =
  <P extends object>(rows: Prepared<P, Db, unknown>): ((tx: Tx, params: P) => Promise<void>) =>
  async (tx, params) => {
    if (isServed(tx)) await rows.run(tx, params);
  };

/** Inserts rows into a table, with the columns that are named. */
export function inserting<
  Name extends keyof Tables & string,
  Column extends keyof Tables[Name] & string,
>(table: Name, columns: Readonly<Record<Column, ColumnType>>) {
  type Row = { readonly [Each in Column]: SelectType<Tables[Name][Each]> };
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
  return changing<typeof columns, Row>(columns, one, all);
}

/**
 * Adds rows to those with the same `key`: their numbers are summed, and what is named in `latest` takes
 * the place of what was there. A row that is missing is made.
 */
export function adding<
  Name extends keyof Tables & string,
  Column extends keyof Tables[Name] & string,
>(
  table: Name,
  columns: Readonly<Record<Column, ColumnType>>,
  {
    key,
    latest = [],
  }: { readonly key: NoInfer<Column>; readonly latest?: readonly NoInfer<Column>[] },
) {
  type Row = { readonly [Each in Column]: SelectType<Tables[Name][Each]> };
  const names = Object.keys(columns) as Column[];
  const after = names
    .filter((name) => name !== key)
    .map((name) => [
      name,
      latest.includes(name)
        ? sql.ref(`excluded.${name}`)
        : sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ]);
  // Kysely's types cannot follow a table that is a parameter.
  const update = Object.fromEntries(after) as never;
  const into = (db: Kysely<Tables>) =>
    (db as unknown as Kysely<Record<string, Record<string, unknown>>>).insertInto(table);
  const one = prepared((db, row: Row) =>
    into(db)
      .values(row)
      .onConflict((conflict) => conflict.column(key).doUpdateSet(update)),
  );
  const all = prepared((db, lists: Lists<typeof columns>) =>
    into(db)
      .columns(names)
      .expression(sql`select * from ${listed(columns, lists)}`)
      .onConflict((conflict) => conflict.column(key).doUpdateSet(update)),
  );
  return changing<typeof columns, Row>(columns, one, all);
}

/** Work that is the same for one item and for many: `all` resolves to what became of each. */
export const grouped = <Item, Made>(
  name: string,
  all: Grouped<Item, Made>["all"],
): Grouped<Item, Made> => ({
  name,
  async one(tx, item) {
    return (await all(tx, [item]))[0] as Made;
  },
  all,
});

/** The insertion of rows that have no number. */
export const unnumbered = <Row>(
  name: string,
  insert: (tx: Tx, rows: readonly Row[]) => Promise<unknown>,
): Grouped<Row, void> =>
  grouped(name, async (tx, rows) => {
    await insert(tx, rows);
    return rows.map(() => undefined);
  });

/** The insertion into a table whose `id` the engine draws: each row resolves to its own. */
export function insertion<
  Name extends NumberedTable & string,
  Column extends keyof Tables[Name] & string,
>(
  table: Name,
  columns: Readonly<Record<Column, ColumnType>>,
): Grouped<Readonly<Pick<Tables[Name], Column>>, { readonly id: number }> {
  type Row = Readonly<Pick<Tables[Name], Column>>;
  const one = insertNumbered(table, (row: Row) => row as unknown as Insertable<Tables[Name]>);
  const all = prepared((db, lists: Lists<typeof columns>) =>
    (db as unknown as Kysely<Record<string, { id: number }>>)
      .insertInto(table)
      .columns(Object.keys(columns) as "id"[])
      .expression(sql`select * from ${listed(columns, lists)}`)
      .returning("id"),
  );
  return {
    name: table,
    async one(tx, row) {
      const made = await one.first(tx, row);
      if (made === undefined) throw new Error(`A row of ${table} was inserted and has no id.`);
      return made;
    },
    async all(tx, rows) {
      // An identity is drawn for each row in the order of `unnest`; RETURNING promises none.
      const made = await all.all(tx, listsOf(columns, rows));
      return made.toSorted((a, b) => a.id - b.id);
    },
  };
}
