import { type Kysely, sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import { changingOne } from "../db/rows.ts";
import type { Tables } from "../db/tables.ts";
import type { Seconds } from "../kernel/time.ts";
import { named } from "../ledger/entry-queries.ts";
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

type Tally = Readonly<CounterTables["agent_tally"]>;

const FIGURES = [
  "repo",
  "repo_commit",
  "app",
  "answered_request",
  "passed_task",
  "claim",
  "verdict",
] as const satisfies readonly (keyof Tally)[];

const adding = (db: Kysely<Tables>, p: Tally) =>
  db
    .insertInto("agent_tally")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .column("agent_id")
        .doUpdateSet((set) =>
          Object.fromEntries(
            FIGURES.map((name) => [
              name,
              sql`${sql.ref(`agent_tally.${name}`)} + ${set.ref(`excluded.${name}`)}`,
            ]),
          ),
        ),
    );

export const tallyOf = prepared((db, p: { agent_id: string }) =>
  db.selectFrom("agent_tally").selectAll().where("agent_id", "=", p.agent_id),
);

/** Adds to an agent's figures, and returns the result; a new row has the given mark. */
export const addToTally = changingOne(
  prepared(adding),
  prepared((db, p: Tally) => adding(db, p).returningAll()),
  tallyOf,
);

export const markTally = prepared((db, p: { agent_id: string; own: number }) =>
  db.updateTable("agent_tally").set({ own: p.own }).where("agent_id", "=", p.agent_id),
);

/** The operator's own, by the ledger's word; the partial index is only for a condition in words. */
export const ownAgents = prepared((db, _: Record<string, never>) =>
  db.selectFrom("agent_tally").select("agent_id").where("own", "=", sql.lit(1)),
);

/**
 * An agent's posts before an entry: of those that have their place in the ledger. `+ 0` keeps the
 * engines off the index by id, which would walk the posts of everybody.
 */
export const postsBefore = prepared((db, p: { agent_id: string; ledger_id: number }) =>
  db
    .selectFrom("agent as a")
    .innerJoin("post as p", "p.agent", "a.id")
    .innerJoin(named(db, "post").as("e"), (join) =>
      join.on("e.ref", "=", sql<string>`cast(p.id as text)`),
    )
    .select((select) => select.fn.countAll<number>().as("n"))
    .where("a.agent_id", "=", p.agent_id)
    .where(sql<number>`e.ledger_id + 0`, "<", p.ledger_id),
);

export const outcomeOf = prepared((db, p: { id: number }) =>
  db.selectFrom("task_submission").select("outcome").where("id", "=", p.id),
);

export const rowCount = prepared((db, p: { name: string }) =>
  db.selectFrom("row_count").select(["n", "through_id"]).where("name", "=", p.name),
);

/** Changes no row when the count does not end at `after_id` any more. */
export const keepRows = prepared(
  (db, p: { name: string; n: number; after_id: number; to_id: number }) =>
    db
      .insertInto("row_count")
      .values({ name: p.name, n: p.n, through_id: p.to_id })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet((set) => ({
            n: sql`row_count.n + ${set.ref("excluded.n")}`,
            through_id: set.ref("excluded.through_id"),
          }))
          .where("row_count.through_id", "=", p.after_id),
      ),
);

interface Range {
  readonly after_id: number;
  readonly to_id: number;
}

export const messagesBetween = prepared((db, p: Range) =>
  db
    .selectFrom("message")
    .select((select) => select.fn.countAll<number>().as("n"))
    .where("id", ">", p.after_id)
    .where("id", "<=", p.to_id),
);

export const reportsBetween = prepared((db, p: Range) =>
  db
    .selectFrom("report")
    .select((select) => select.fn.countAll<number>().as("n"))
    .where("id", ">", p.after_id)
    .where("id", "<=", p.to_id),
);

export const lastMessage = prepared((db, _: Record<string, never>) =>
  db.selectFrom("message").select("id").orderBy("id", "desc").limit(1),
);

export const lastReport = prepared((db, _: Record<string, never>) =>
  db.selectFrom("report").select("id").orderBy("id", "desc").limit(1),
);
