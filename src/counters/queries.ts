import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";
import type { CounterTables } from "./tables.ts";

type Counter = Readonly<CounterTables["counter"]>;

export const counters = prepared((db, p: { name?: string }) => {
  const all = db.selectFrom("counter").select(["name", "n", "usd", "usd_micro"]);
  return p.name === undefined ? all : all.where("name", "=", p.name);
});

export const addToCounter = prepared((db, p: Counter) =>
  db
    .insertInto("counter")
    .values(p)
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((set) => ({
        n: sql`counter.n + ${set.ref("excluded.n")}`,
        usd: sql`counter.usd + ${set.ref("excluded.usd")}`,
        usd_micro: sql`counter.usd_micro + ${set.ref("excluded.usd_micro")}`,
      })),
    ),
);

/** Changes no row when it was counted before. */
export const countOnce = prepared((db, p: CounterTables["counted"]) =>
  db
    .insertInto("counted")
    .values(p)
    .onConflict((conflict) => conflict.columns(["name", "ref"]).doNothing()),
);

/** Changes no row when it is not counted. */
export const uncount = prepared((db, p: CounterTables["counted"]) =>
  db.deleteFrom("counted").where("name", "=", p.name).where("ref", "=", p.ref),
);

export const claimTally = prepared((db, p: { id: number }) =>
  db.selectFrom("claim").select(["kind", "verdicts_true", "verdicts_false"]).where("id", "=", p.id),
);

/** Claims that are ahead and whose day has not come. */
export const claimsAheadOfTime = prepared((db, p: { now: Seconds }) =>
  db
    .selectFrom("claim")
    .select((select) => select.fn.countAll<number>().as("n"))
    .where("resolve_by", ">", p.now)
    .whereRef("verdicts_true", ">", "verdicts_false")
    .where("kind", "<>", sql.lit("quorum")),
);

export const contributionValue = prepared((db, p: { id: number }) =>
  db.selectFrom("contribution").select("usd_micro").where("id", "=", p.id),
);
