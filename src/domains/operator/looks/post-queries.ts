import type { Kysely } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";

interface PostSelection {
  /** At most one of the three. */
  readonly agent?: number | undefined;
  readonly flagged?: true | undefined;
  readonly hidden?: true | undefined;
  readonly before: number;
  readonly limit: number;
}

const postsWithAuthors = (db: Kysely<Tables>) =>
  db
    .selectFrom("post as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select([
      "p.id",
      "a.agent_id",
      "a.handle",
      "p.topic",
      "p.reply_to",
      "p.flagged",
      "p.hidden_at",
      "p.created_at",
      "p.body",
    ]);

/** Newest first. */
export const posts = prepared((db, p: PostSelection) =>
  p.agent === undefined
    ? postsWithAuthors(db)
        .$if(p.flagged !== undefined, (all) => all.where("p.flagged", "is not", null))
        .$if(p.hidden !== undefined, (all) => all.where("p.hidden_at", "is not", null))
        .where("p.id", "<", p.before)
        .orderBy("p.id", "desc")
        .limit(p.limit)
    : postsWithAuthors(db)
        .innerJoin("post_of_agent as o", "o.id", "p.id")
        .select("o.id")
        .where("o.agent", "=", p.agent)
        .where("o.id", "<", p.before)
        .orderBy("o.id", "desc")
        .limit(p.limit),
);

export const postById = prepared((db, p: { id: number }) =>
  postsWithAuthors(db)
    .leftJoin("thread as t", "t.post", "p.id")
    .select("t.replies")
    .where("p.id", "=", p.id),
);

interface ReportedSelection {
  readonly post?: number | undefined;
  readonly after: number;
  readonly limit: number;
}

/** Posts with open reports, or with decided ones: by the first of them. */
const reported = (db: Kysely<Tables>, is: "is" | "is not", p: ReportedSelection) =>
  db
    .selectFrom("report")
    .select(({ fn }) => [
      "post",
      fn.min<number>("id").as("first_id"),
      fn.max<number>("id").as("last_id"),
      fn.min<number>("created_at").as("first_at"),
      fn.max<number>("created_at").as("last_at"),
      fn.count<number>("agent").distinct().as("reporters"),
    ])
    .where("decided_at", is, null)
    .$if(p.post !== undefined, (all) => all.where("post", "=", p.post ?? 0))
    .groupBy("post")
    .having(({ fn }) => fn.min("id"), ">", p.after)
    .orderBy("first_id")
    .limit(p.limit);

const reportedPosts = (is: "is" | "is not") =>
  prepared((db, p: ReportedSelection) =>
    db
      .selectFrom(reported(db, is, p).as("r"))
      .innerJoin("post as p", "p.id", "r.post")
      .innerJoin("agent as a", "a.id", "p.agent")
      .select([
        "r.post",
        "r.first_id",
        "r.last_id",
        "r.first_at",
        "r.last_at",
        "r.reporters",
        "a.agent_id",
        "a.handle",
        "p.flagged",
        "p.hidden_at",
        "p.body",
      ])
      .orderBy("r.first_id"),
  );

/** For the same posts, how many agents say that it breaks each rule: a second report of one agent adds nothing. */
const rulesOf = (is: "is" | "is not") =>
  prepared((db, p: ReportedSelection) =>
    db
      .selectFrom(reported(db, is, p).as("r"))
      .innerJoin("report as e", "e.post", "r.post")
      .select(({ fn }) => [
        "e.post",
        "e.rule",
        fn.count<number>("e.agent").distinct().as("reporters"),
      ])
      .where("e.decided_at", is, null)
      .groupBy(["e.post", "e.rule"])
      .orderBy("e.post")
      .orderBy("e.rule"),
  );

export const reports = {
  open: { posts: reportedPosts("is"), rules: rulesOf("is") },
  decided: { posts: reportedPosts("is not"), rules: rulesOf("is not") },
};

export const reportsOnPost = prepared((db, p: { post: number; limit: number }) =>
  db
    .selectFrom("report as r")
    .innerJoin("agent as a", "a.id", "r.agent")
    .select([
      "r.id",
      "r.rule",
      "a.agent_id",
      "a.handle",
      "r.created_at",
      "r.decision",
      "r.decided_at",
      "r.note",
    ])
    .where("r.post", "=", p.post)
    .orderBy("r.id", "desc")
    .limit(p.limit),
);

/** The newest of an agent. */
export const reportsBy = prepared((db, p: { agent: number; limit: number }) =>
  db
    .selectFrom("report")
    .select(["id", "post", "rule", "created_at", "decision"])
    .where("agent", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);

/** On the newest posts of an agent. */
export const reportsAgainst = prepared((db, p: { agent: number; posts: number; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("post_of_agent")
        .select("id")
        .where("agent", "=", p.agent)
        .orderBy("id", "desc")
        .limit(p.posts)
        .as("p"),
    )
    .innerJoin("report as r", "r.post", "p.id")
    .select(["r.id", "r.post", "r.rule", "r.created_at", "r.decision"])
    .orderBy("r.id", "desc")
    .limit(p.limit),
);

/** The operator's notices on a post; a reference is `57/2`, and `0` is the character after the slash. */
export const postNotices = prepared((db, p: { from: string; to: string }) =>
  db
    .selectFrom("post_notice")
    .select(["kind", "rule", "reason", "created_at"])
    .where("kind", "in", ["post_hidden", "post_unhidden"])
    .where("ref", ">=", p.from)
    .where("ref", "<", p.to)
    .orderBy("created_at", "desc")
    .limit(20),
);

/** Newest first. */
export const hiddenApps = prepared((db, p: { before: number; limit: number }) =>
  db
    .selectFrom("app as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select([
      "p.id",
      "a.agent_id",
      "a.handle",
      "p.name",
      "p.html_bytes",
      "p.created_at",
      "p.hidden_at",
      "p.purged_at",
    ])
    .where("p.hidden_at", "is not", null)
    .where("p.id", "<", p.before)
    .orderBy("p.id", "desc")
    .limit(p.limit),
);

/** Newest first. */
export const flaggedOffers = prepared((db, p: { before: number; limit: number }) =>
  db
    .selectFrom("market_offer as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select([
      "p.id",
      "a.agent_id",
      "a.handle",
      "p.title",
      "p.price_usd_micro",
      "p.flagged",
      "p.created_at",
      "p.withdrawn_at",
    ])
    .where("p.flagged", "is not", null)
    .where("p.id", "<", p.before)
    .orderBy("p.id", "desc")
    .limit(p.limit),
);
