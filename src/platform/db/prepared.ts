import type {
  Compilable,
  Generated,
  InferResult,
  Insertable,
  Kysely,
  RawBuilder,
  SelectQueryBuilder,
} from "kysely";
import type { Db, Plan, Tx } from "./engine.ts";
import type { Tables } from "./tables.ts";

/** Stands in a query where a parameter's value will go. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`A query places "${this.name}"; it never computes with it.`);
  }
}

/** A select runs anywhere; any other built query changes rows and needs a `Tx`. */
type Needs<Q> = Q extends SelectQueryBuilder<infer _Db, infer _Table, infer _Output> ? Db : Tx;

/** A query that is compiled once per engine and per set of given parameters. */
export interface Prepared<P extends object, Target extends Db, Row> {
  all(db: Target, params: P): Promise<Row[]>;
  first(db: Target, params: P): Promise<Row | undefined>;
  /** Resolves to the number of rows changed. */
  run(db: Target, params: P): Promise<number>;
}

let count = 0;

/** The text of a query for one set of given parameters. */
interface Shape {
  readonly plan: Plan;
  /** The names of the parameters in the order of the alphabet, and what the plan's places hold. */
  readonly names: string;
  readonly slots: readonly unknown[];
  /** The values in the plan's order; null when these are not exactly the parameters with a value. */
  readonly valuesOf: (given: object) => readonly unknown[] | null;
}

/** A query and the values that it is to be run with. */
interface BoundOperation {
  readonly plan: Plan;
  readonly values: readonly unknown[];
}

/**
 * Asked for every query. Each shape has a function of its own, whose property names V8 knows when it
 * compiles: one loop for all shapes takes twice as long. The names come from our own code.
 */
function valuesReader(names: readonly string[], slots: readonly unknown[]): Shape["valuesOf"] {
  const values = slots.map((slot, i) =>
    slot instanceof Slot ? `given[${JSON.stringify(slot.name)}]` : `slots[${i}]`,
  );
  const body = `
    let place = 0;
    for (const name in given) if (given[name] !== undefined && names[place++] !== name) return null;
    return place === ${names.length} ? [${values}] : null;`;
  const make = new Function("names", "slots", `return (given) => {${body}}`);
  return make(names, slots) as Shape["valuesOf"];
}

/** A query for one set of parameters, and where it is a numbered insert, the same without RETURNING. */
interface Built<Q> {
  readonly query: Q;
  readonly numberedInsert?: Compilable<unknown>;
}

/**
 * Builds a query once, with slots in place of values. A builder may ask of a parameter only
 * whether it is `undefined`, which is what makes optional filters another text.
 */
export const prepared = <P extends object, Q extends Compilable<unknown>>(
  build: (db: Kysely<Tables>, params: P) => Q,
): Prepared<P, Needs<Q>, InferResult<Q>[number]> =>
  preparedBy((db, params: P) => ({ query: build(db, params) }));

type Raw<P, Row> = (db: Kysely<Tables>, params: P) => RawBuilder<Row>;

const inSql =
  <P, Row>(build: Raw<P, Row>) =>
  (db: Kysely<Tables>, params: P) => ({ compile: () => build(db, params).compile(db) });

/** A read that Kysely cannot build, in SQL. */
export const preparedRead = <P extends object, Row>(build: Raw<P, Row>): Prepared<P, Db, Row> =>
  prepared(inSql(build));

/** The same of a statement that changes rows, or takes locks for that. */
export const preparedWrite = <P extends object, Row>(build: Raw<P, Row>): Prepared<P, Tx, Row> =>
  prepared(inSql(build));

/** The tables whose `id` is an INTEGER PRIMARY KEY that the engine draws. */
export type NumberedTable = {
  [T in keyof Tables]: Tables[T] extends { id: Generated<number> } ? T : never;
}[keyof Tables];

/**
 * Inserts one row and gives its `id`; no row comes back when the columns `unless`, which are unique
 * together, are taken. SQLite runs it without a RETURNING, which would copy every page that it
 * touches, to be able to undo itself half-way (a post costs 1.07 times the CPU then).
 */
export const insertNumbered = <
  P extends object,
  T extends NumberedTable,
  const Row extends Insertable<Tables[T]>,
>(
  table: T,
  row: (params: P) => Row,
  unless: readonly (keyof Tables[T] & string)[] = [],
): Prepared<P, Tx, { readonly id: number }> =>
  preparedBy((db, params: P) => {
    // Kysely's types cannot follow a table that is a parameter.
    const into = (db as unknown as Kysely<Record<string, { id: Generated<number> }>>)
      .insertInto(table)
      .values(row(params));
    const numberedInsert =
      unless.length === 0
        ? into
        : into.onConflict((conflict) => conflict.columns([...unless] as "id"[]).doNothing());
    return { query: numberedInsert.returning("id"), numberedInsert };
  });

const named = (names: readonly string[]): string => names.toSorted().join();

function preparedBy<P extends object, Q extends Compilable<unknown>>(
  build: (db: Kysely<Tables>, params: P) => Built<Q>,
): Prepared<P, Needs<Q>, InferResult<Q>[number]> {
  type Row = InferResult<Q>[number];
  const shapes = new WeakMap<Kysely<Tables>, Shape[]>();

  function compile(compiler: Kysely<Tables>, names: readonly string[]): Shape {
    const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]));
    const { query, numberedInsert } = build(compiler, slots as P);
    const { sql, parameters } = query.compile();
    const plan = {
      index: count++,
      sql,
      inserts: sql.startsWith("insert"),
      ...(numberedInsert && { numberedInsert: numberedInsert.compile().sql }),
    };
    const valuesOf = valuesReader(names, parameters);
    return { plan, names: named(names), slots: parameters, valuesOf };
  }

  /** The same plan serves each order in which the parameters are named. */
  function shapeFor(
    compiler: Kysely<Tables>,
    known: readonly Shape[],
    names: readonly string[],
  ): Shape {
    const same = known.find((shape) => shape.names === named(names));
    if (same === undefined) return compile(compiler, names);
    return { ...same, valuesOf: valuesReader(names, same.slots) };
  }

  function bind(compiler: Kysely<Tables>, given: Record<string, unknown>): BoundOperation {
    const known = shapes.get(compiler) ?? [];
    for (const { plan, valuesOf } of known) {
      const values = valuesOf(given);
      if (values !== null) return { plan, values };
    }
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    shapes.set(compiler, [...known, shapeFor(compiler, known, names)]);
    return bind(compiler, given);
  }

  function all(db: Needs<Q>, params: P): Promise<Row[]> {
    const { plan, values } = bind(db.compiler, params as Record<string, unknown>);
    return db.all(plan, values) as Promise<Row[]>;
  }

  return {
    all,
    first: async (db, params) => (await all(db, params))[0],
    run(db, params) {
      const { plan, values } = bind(db.compiler, params as Record<string, unknown>);
      return db.run(plan, values);
    },
  };
}
