import { type Insertable, type Kysely, type RawBuilder, sql } from "kysely";
import type { Grouped, GroupTx, Tx } from "../../db/engine.ts";
import { insertNumbered, type NumberedTable, prepared, preparedWrite } from "../../db/prepared.ts";
import { insertion } from "../../db/rows.ts";
import type { Tables } from "../../db/tables.ts";
import {
  type Change,
  type Changes,
  type Changing,
  GIVEN,
  type Making,
  type Only,
  OTHER,
  OVER,
} from "./effects.ts";

export type Values = Record<string, unknown>;

/** The number of a row and the count in it, where it has them. */
interface Done {
  readonly id?: number;
  readonly n?: number;
}

/** Stores a new row. Undefined: there is one, and none was stored. */
type Inserting = (tx: GroupTx, row: Values) => Promise<Done | undefined>;
/** Changes a row. Undefined: there is none for which the condition holds. */
type Updating = (tx: Tx, values: Values) => Promise<Done | undefined>;

const NOTHING_MORE: Done = {};
const updatings = new WeakMap<Changing, Map<Changes, Updating>>();

/** The statement that stores a row of a table. */
export function insertingOf(effect: Making): Inserting {
  const { rows, unless, again } = effect;
  if (again === true) return newUpserting(effect);
  const { table, columns, grouped } = rows;
  if (grouped !== undefined) {
    const into: Grouped<object, Done> = insertion(table as NumberedTable, grouped);
    return (tx, row) => tx.together(into, row);
  }
  if (columns["id"]?.from === "id" || columns["id"]?.from === "number") {
    const of = (row: Values) => row as Insertable<Tables[NumberedTable]>;
    const into = insertNumbered(table as NumberedTable, of, unless as "id"[] | undefined);
    return (tx, row) => into.first(writable(tx), row);
  }
  const into = prepared((db: Kysely<Tables>, row: Values) => {
    const insert = db.insertInto(table).values(row as Insertable<Tables[typeof table]>);
    const unique = unless as never[] | undefined;
    return unique === undefined
      ? insert
      : insert.onConflict((conflict) => conflict.columns(unique).doNothing());
  });
  return async (tx, row) => ((await into.run(writable(tx), row)) === 0 ? undefined : NOTHING_MORE);
}

/** Stores a row, or what is new of it in the one that is there: what begins with a value stays, and a count rises. */
function newUpserting({ rows: { table, columns, key } }: Making): Inserting {
  const counted = Object.keys(columns).find((name) => columns[name]?.from === "count");
  const returned = sql.ref(counted ?? key[0] ?? "id");
  const statement = preparedWrite((_, row: Values) => {
    const names = Object.keys(row);
    const changed = names.filter(
      (name) => !key.includes(name) && columns[name]?.from !== "beginning",
    );
    const sets = changed.map((name) =>
      name === counted
        ? sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + 1`
        : sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`,
    );
    const refs = (all: readonly string[]) => sql.join(all.map((name) => sql.ref(name)));
    return sql<{ n: number }>`insert into ${sql.table(table)} (${refs(names)})
      values (${sql.join(names.map((name) => sql`${row[name]}`))})
      on conflict (${refs(key)}) do update set ${sql.join(sets)} returning ${returned} as n`;
  });
  return async (tx, row) => {
    const stored = await statement.first(writable(tx), {
      ...row,
      ...(counted && { [counted]: 1 }),
    });
    return counted === undefined ? NOTHING_MORE : stored;
  };
}

/** A grouped write takes kinds that only make rows. */
export function writable(tx: GroupTx): Tx {
  if (isWritable(tx)) return tx;
  throw new Error("A grouped write was asked for more than rows that are made together.");
}

const isWritable = (tx: GroupTx): tx is Tx => "writable" in tx;

/** The names under which an updating gets the values of a key, and those that columns get. */
export const keyed = (column: string): string => `key_${column}`;
export const given = (column: string): string => `to_${column}`;
/** That under which it gets what a column must have. */
export const required = (column: string): string => `only_${column}`;

/** Ways in which an entry may change a row: a function that made them anew would need a statement each time. */
const WAYS_MAX = 20;

/** The statement by which an entry changes a row in this way, which is made once. */
export function updatingOf(effect: Changing, set: Changes): Updating {
  const of = updatings.get(effect) ?? new Map<Changes, Updating>();
  updatings.set(effect, of);
  const known = of.get(set) ?? newUpdating(effect, set);
  of.set(set, known);
  if (of.size > WAYS_MAX) throw new Error(`A change of ${effect.rows.table} is no constant.`);
  return known;
}

function newUpdating({ rows, only, counts }: Changing, set: Changes): Updating {
  const changes = Object.entries(set);
  const raised = changes.find(([, to]) => typeof to === "object" && to?.from === "count");
  const counted = counts ?? raised?.[0];
  function build(values: Values): RawBuilder<{ n: number }> {
    const sets = changes.map(
      ([column, to]) => sql`${sql.ref(column)} = ${newIn(column, to, values)}`,
    );
    const where = [
      ...rows.key.map((column) => sql`${sql.ref(column)} = ${values[keyed(column)]}`),
      ...changes.flatMap(([column, to]) => conditionOf(column, to, values)),
      ...Object.entries(only).map(([column, is]) => requiredIn(column, is, values)),
    ];
    const returning = counted === undefined ? sql`` : sql` returning ${sql.ref(counted)} as n`;
    return sql`update ${sql.table(rows.table)} set ${sql.join(sets)}
      where ${sql.join(where, sql` and `)}${returning}`;
  }
  const statement = preparedWrite((_, values: Values) => build(values));
  if (counted !== undefined) return (tx, values) => statement.first(tx, values);
  return async (tx, values) => ((await statement.run(tx, values)) === 0 ? undefined : NOTHING_MORE);
}

/** The condition on a column as it is, in SQL. */
function requiredIn(column: string, is: Only[string], values: Values) {
  if (is === null) return sql`${sql.ref(column)} is null`;
  if (is === GIVEN) return sql`${sql.ref(column)} is not null`;
  if (is === OTHER) return sql`${sql.ref(column)} is distinct from ${values[given(column)]}`;
  if (is === OVER) return sql`${sql.ref(column)} <= ${values[required(column)]}`;
  return sql`${sql.ref(column)} = ${typeof is === "object" ? values[required(column)] : sql.lit(is)}`;
}

/** The new value of a column, in SQL. */
function newIn(column: string, to: Change, values: Values) {
  if (typeof to !== "object" || to === null) return sql.lit(to);
  if (to.from === "count") return sql`${sql.ref(column)} + 1`;
  if (to.from === "column") return sql.ref(to.column);
  if (to.from === "before") return sql`${sql.ref(column)} + ${sql.lit(to.plus)}`;
  return sql`${values[given(column)]}`;
}

/** The highest number stays, in whichever order writes end. */
const conditionOf = (column: string, to: Change, values: Values) =>
  typeof to === "object" && to?.from === "highest"
    ? [sql`(${sql.ref(column)} is null or ${sql.ref(column)} < ${values[given(column)]})`]
    : [];
