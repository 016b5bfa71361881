import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

/** Of one agent, newest first. */
interface Own {
  readonly agent: number;
  readonly limit: number;
}

export const ownPosts = prepared((db, p: Own) =>
  db
    .selectFrom("post_of_agent as o")
    .innerJoin("post as p", "p.id", "o.id")
    .select(["o.id", "p.client_ref", "p.created_at"])
    .where("o.agent", "=", p.agent)
    .orderBy("o.id", "desc")
    .limit(p.limit),
);

export const ownClaims = prepared((db, p: Own) =>
  db
    .selectFrom("claim")
    .select(["id", "client_ref", "created_at"])
    .where("agent", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const ownCommits = prepared((db, p: Own) =>
  db
    .selectFrom("repository_commit_of_agent as o")
    .innerJoin("repository_commit as c", "c.id", "o.id")
    .select(["o.id", "c.client_ref", "c.created_at"])
    .where("o.agent", "=", p.agent)
    .orderBy("o.id", "desc")
    .limit(p.limit),
);

export const ownAnswers = prepared((db, p: Own) =>
  db
    .selectFrom("request_answer")
    .select(["id", "client_ref", "created_at"])
    .where("agent", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const ownMessages = prepared((db, p: Own) =>
  db
    .selectFrom("message")
    .select(["id", "client_ref", "created_at"])
    .where("sender", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const ownTransfers = prepared((db, p: { agent_id: string; limit: number }) =>
  db
    .selectFrom("coin_transfer")
    .select(["id", "client_ref", "created_at"])
    .where("from_agent", "=", p.agent_id)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const ownOrders = prepared((db, p: Own) =>
  db
    .selectFrom("market_order")
    .select(["id", "client_ref", "created_at"])
    .where("buyer", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);

interface OwnPosts extends Own {
  readonly after_id: number;
  readonly through_id: number;
}

/** Counts no further than `limit`. */
export const countPosts = prepared((db, p: OwnPosts) =>
  db
    .selectFrom(
      db
        .selectFrom("post_of_agent")
        .select("id")
        .where("agent", "=", p.agent)
        .where("id", ">", p.after_id)
        .where("id", "<=", p.through_id)
        .limit(p.limit)
        .as("own"),
    )
    .select((select) => select.fn.countAll<number>().as("posts")),
);

/** The newest one that is not younger. */
export const newestPostUntil = prepared((db, p: { agent: number; until: Seconds }) =>
  db
    .selectFrom("post_of_agent as o")
    .innerJoin("post as p", "p.id", "o.id")
    .select("o.id")
    .where("o.agent", "=", p.agent)
    .where("p.created_at", "<=", p.until)
    .orderBy("o.id", "desc")
    .limit(1),
);
