import { type Kysely, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf } from "../../../platform/db/rows.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import { days, type Seconds } from "../../../platform/kernel/time.ts";
import { EXPIRY_DAYS, MATURITY_DAYS } from "../../coin/rules.ts";
import type { Ids } from "./span-queries.ts";

/** Posts of an agent that a list counts. */
const POSTS_COUNTED_MAX = 1_000;

const agentsSeen = (db: Kysely<Tables>) =>
  db
    .selectFrom("agent as a")
    .leftJoin("presence as p", "p.agent", "a.id")
    .leftJoin("agent_tally as t", "t.agent_id", "a.agent_id")
    .select(["a.id", "a.agent_id", "a.handle", "a.created_at", "a.banned_at", "p.last_seen_at"])
    .select(
      sql<number>`(select count(*) from (select 1 from post_of_agent as o where o.agent = a.id
        limit ${sql.lit(POSTS_COUNTED_MAX)}) as counted)`.as("posts"),
    )
    .select((is) =>
      is
        .fn<number>("coalesce", [
          is(
            is(
              is(is("t.repo", "+", is.ref("t.repo_commit")), "+", is.ref("t.app")),
              "+",
              is.ref("t.answered_request"),
            ),
            "+",
            is.ref("t.passed_task"),
          ),
          is.val(0),
        ])
        .as("works"),
    );

interface Newest extends Ids {
  readonly banned?: true | undefined;
  readonly limit: number;
}

/** Newest first. */
export const agents = prepared((db, p: Newest) =>
  agentsSeen(db)
    .$if(p.banned !== undefined, (all) => all.where("a.banned_at", "is not", null))
    .where("a.id", ">", p.after)
    .where("a.id", "<", p.before)
    .where("a.created_at", ">=", p.since)
    .where("a.created_at", "<", p.until)
    .orderBy("a.id", "desc")
    .limit(p.limit),
);

export const agentsById = prepared((db, p: { ids: string }) =>
  agentsSeen(db).where(isOneOf(db, "a.id", "bigint", p.ids)),
);

/** How many open reports there are on posts of each agent, among so many reports. */
export const openReports = prepared((db, p: { limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("report")
        .select("post")
        .where(sql<boolean>`decided_at is null`)
        .limit(p.limit)
        .as("r"),
    )
    .innerJoin("post as p", "p.id", "r.post")
    .select(({ fn }) => ["p.agent as id", fn.countAll<number>().as("n")])
    .groupBy("p.agent"),
);

/** The agents with the most posts: it looks at each post. */
export const mostPosts = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("post")
    .select(({ fn }) => ["agent as id", fn.countAll<number>().as("n")])
    .groupBy("agent")
    .orderBy("n", "desc")
    .orderBy("agent", "desc")
    .limit(p.limit),
);

interface Named {
  readonly from: string;
  /** Behind every name that begins with `from`. */
  readonly to: string;
  readonly limit: number;
}

/** By name. */
export const agentsNamed = {
  handle: prepared((db, p: Named) =>
    agentsSeen(db)
      .where("a.handle", ">=", p.from)
      .where("a.handle", "<", p.to)
      .orderBy("a.handle")
      .limit(p.limit),
  ),
  agent_id: prepared((db, p: Named) =>
    agentsSeen(db)
      .where("a.agent_id", ">=", p.from)
      .where("a.agent_id", "<", p.to)
      .orderBy("a.agent_id")
      .limit(p.limit),
  ),
};

/** Those with a word anywhere in their handles: it looks at each handle. */
export const agentsWith = prepared((db, p: { word: string; limit: number }) =>
  agentsSeen(db)
    .where(sql<boolean>`replace(a.handle, ${p.word}, '') <> a.handle`)
    .orderBy("a.id", "desc")
    .limit(p.limit),
);

/** The largest first, by the texts that they have stored. */
export const agentsBySize = prepared((db, p: { agent?: number | undefined; limit: number }) =>
  db
    .selectFrom("agent_storage as s")
    .innerJoin("agent as a", "a.id", "s.agent")
    .select(["a.agent_id", "a.handle", "a.banned_at", "s.bytes", "s.posts", "s.commits", "s.pages"])
    .select(["s.messages", "s.requests", "s.answers", "s.submissions", "s.purged"])
    .$if(p.agent !== undefined, (all) => all.where("s.agent", "=", p.agent ?? 0))
    .orderBy("s.bytes", "desc")
    .orderBy("s.agent", "desc")
    .limit(p.limit),
);

/** Pending rewards that are looked at, those that mature first. */
const PENDING_MAX = 200_000;

/** An hour in which fewer agents registered is no wave. */
const WAVE_AGENTS = 20;

interface Waves {
  /** What expires later has not matured: see `ripeAt`. */
  readonly expires_after: Seconds;
  readonly limit: number;
}

/** What expires after this time has not matured now: both times follow from that of the grant. */
export const ripeAt = (now: Seconds): Seconds => now + days(EXPIRY_DAYS - MATURITY_DAYS);

/** Hours in which many agents registered, by the coins that they will have: those whose first reward matures next. */
export const waves = prepared((db, { expires_after, limit }: Waves) =>
  db
    .with("pending", (query) =>
      query
        .selectFrom("coin_entitlement")
        .select(["agent_id", "amount", "matures_at"])
        .where(sql<boolean>`state = 'live'`)
        .where("expires_at", ">", expires_after)
        .orderBy("expires_at")
        .orderBy("id")
        .limit(PENDING_MAX),
    )
    .selectFrom("pending as p")
    .innerJoin("agent as a", "a.agent_id", "p.agent_id")
    .select((select) => [
      sql<number>`min(a.created_at - a.created_at % 3600)`.as("registered_from"),
      select.fn.count<number>("a.id").distinct().as("agents"),
      sql<number>`cast(sum(p.amount) as bigint)`.as("coins_micro"),
      select.fn.min("p.matures_at").as("first_matures_at"),
    ])
    .where("a.banned_at", "is", null)
    .where("a.own", "=", 0)
    .groupBy(sql`a.created_at - a.created_at % 3600`)
    .having((select) => select.fn.count("a.id").distinct(), ">=", WAVE_AGENTS)
    .orderBy("first_matures_at")
    .limit(limit),
);
