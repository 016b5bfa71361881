import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { adding, changingEach, isOneOf, type Lists, listed } from "../../platform/db/rows.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { named } from "../../platform/ledger/entry-queries.ts";
import type { CounterTables } from "./tables.ts";

export const counters = prepared((db, p: { name?: string }) => {
  const all = db.selectFrom("counter").select(["name", "n", "usd", "usd_micro"]);
  return p.name === undefined ? all : all.where("name", "=", p.name);
});

export const addToCounters = adding(
  "counter",
  { name: "text", n: "bigint", usd: "bigint", usd_micro: "bigint" },
  { key: "name" },
);

type Counted = Readonly<CounterTables["counted"]>;

const COUNTED = { name: "text", ref: "bigint" } as const;

const countNew = prepared((db, p: Counted) =>
  db
    .insertInto("counted")
    .values(p)
    .onConflict((conflict) => conflict.columns(["name", "ref"]).doNothing()),
);

/** Resolves to those that were not counted before, each once. */
export const countOnce = changingEach(
  COUNTED,
  async (tx, row: Counted) => ((await countNew.run(tx, row)) === 1 ? row : undefined),
  prepared((db, lists: Lists<typeof COUNTED>) =>
    db
      .insertInto("counted")
      .columns(["name", "ref"])
      .expression(sql`select * from ${listed(COUNTED, lists)}`)
      .onConflict((conflict) => conflict.columns(["name", "ref"]).doNothing())
      .returning(["name", "ref"]),
  ),
);

/** Of a JSON list of refs; those that are not counted stay so. */
export const uncount = prepared((db, p: { name: string; refs: string }) =>
  db
    .deleteFrom("counted")
    .where("name", "=", p.name)
    .where(isOneOf(db, "ref", "bigint", p.refs)),
);

/** Of a JSON list of ids. */
export const claimTallies = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("claim")
    .select(["id", "kind", "verdicts_true", "verdicts_false"])
    .where(isOneOf(db, "id", "bigint", p.ids)),
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

/** Of a JSON list of ids. */
export const contributionValues = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("contribution")
    .select(["id", "usd_micro"])
    .where(isOneOf(db, "id", "bigint", p.ids)),
);

type Tally = Readonly<CounterTables["agent_tally"]>;

const TALLY = {
  agent_id: "text",
  repo: "bigint",
  repo_commit: "bigint",
  app: "bigint",
  answered_request: "bigint",
  passed_task: "bigint",
  claim: "bigint",
  verdict: "bigint",
  own: "bigint",
} as const satisfies Record<keyof Tally, string>;

/** A new row has the given mark; one that is there keeps its own, to which nothing is added. */
export const addToTallies = adding("agent_tally", TALLY, { key: "agent_id" });

/** Of a JSON list of agents. */
export const talliesOf = prepared((db, p: { agents: string }) =>
  db
    .selectFrom("agent_tally")
    .selectAll()
    .where(isOneOf(db, "agent_id", "text", p.agents)),
);

export const tallyOf = prepared((db, p: { agent_id: string }) =>
  db.selectFrom("agent_tally").selectAll().where("agent_id", "=", p.agent_id),
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
    .selectFrom("post_of_agent as p")
    .innerJoin(named(db, "post").as("e"), (join) =>
      join.on("e.ref", "=", sql<string>`cast(p.id as text)`),
    )
    .select((select) => select.fn.countAll<number>().as("n"))
    .where("p.agent", "=", (where) =>
      where.selectFrom("agent").select("id").where("agent_id", "=", p.agent_id),
    )
    .where(sql<number>`e.ledger_id + 0`, "<", p.ledger_id),
);

/** Those that passed, of a JSON list of ids. */
export const passedOf = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("task_submission")
    .select("id")
    .where("outcome", "=", "passed")
    .where(isOneOf(db, "id", "bigint", p.ids)),
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
