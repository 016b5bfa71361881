import type { Compilable, InferResult, Kysely, SelectQueryBuilder } from "kysely";
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

/** Whatever changes rows needs a `Tx`. */
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
  readonly names: readonly string[];
  readonly plan: Plan;
}

/** Whether these, in this order, are the parameters with a value. Asked for every query. */
function hasExactly(given: Record<string, unknown>, names: readonly string[]): boolean {
  let place = 0;
  for (const name in given) if (given[name] !== undefined && names[place++] !== name) return false;
  return place === names.length;
}

/**
 * Builds a query once, with slots in place of values. A builder may ask of a parameter only
 * whether it is `undefined`, which is what makes optional filters another text.
 */
export function prepared<P extends object, Q extends Compilable<unknown>>(
  build: (db: Kysely<Tables>, params: P) => Q,
): Prepared<P, Needs<Q>, InferResult<Q>[number]> {
  type Row = InferResult<Q>[number];
  const shapes = new WeakMap<Kysely<Tables>, Shape[]>();

  function compile(compiler: Kysely<Tables>, names: readonly string[]): Plan {
    const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]));
    const { sql, parameters } = build(compiler, slots as P).compile();
    return { index: count++, sql, slots: parameters };
  }

  function planFor(compiler: Kysely<Tables>, given: Record<string, unknown>): Plan {
    const known = shapes.get(compiler) ?? [];
    for (const { names, plan } of known) if (hasExactly(given, names)) return plan;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const plan = compile(compiler, names);
    shapes.set(compiler, [...known, { names, plan }]);
    return plan;
  }

  function valuesOf(plan: Plan, given: Record<string, unknown>): unknown[] {
    return plan.slots.map((slot) => (slot instanceof Slot ? given[slot.name] : slot));
  }

  function all(db: Needs<Q>, params: P): Promise<Row[]> {
    const given = params as Record<string, unknown>;
    const plan = planFor(db.compiler, given);
    return db.all(plan, valuesOf(plan, given)) as Promise<Row[]>;
  }

  return {
    all,
    first: async (db, params) => (await all(db, params))[0],
    run(db, params) {
      const given = params as Record<string, unknown>;
      const plan = planFor(db.compiler, given);
      return db.run(plan, valuesOf(plan, given));
    },
  };
}
