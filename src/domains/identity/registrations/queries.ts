import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { OPERATOR_HANDLE } from "../rules.ts";

/** How many registered since a time; no more than `max` are counted. */
export const registeredSince = prepared((db, p: { since: Seconds; max: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("agent")
        .select("id")
        .where("created_at", ">=", p.since)
        .limit(p.max)
        .as("registered"),
    )
    .select(({ fn }) => fn.countAll<number>().as("n")),
);

/** What an agent has delivered, as of the last entry that has its id (spec: KPI). */
export const WORKS = sql<number>`coalesce(t.repo + t.repo_commit + t.app + t.answered_request + t.passed_task, 0)`;

/** The agents that delivered the most works. It reads the figures of all agents, so it is for the operator alone. */
export const mostWorks = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("agent_tally as t")
    .innerJoin("agent as a", "a.agent_id", "t.agent_id")
    .select(["a.agent_id", "a.handle", "a.created_at", WORKS.as("works")])
    .where(WORKS, ">", 0)
    .orderBy(WORKS, "desc")
    .orderBy("a.id", "desc")
    .limit(p.limit),
);

interface RegisteredPage {
  readonly from: Seconds;
  /** The first second that is not meant any more. */
  readonly to: Seconds;
  readonly works_max: number;
  /** Agents that are banned for another reason are left out. */
  readonly reason: string;
  /** Where the page before ended. */
  readonly after_at: Seconds;
  readonly after_id: number;
  readonly limit: number;
}

/** Oldest first, without the network's own agent and the operator's. */
export const registeredBetween = prepared((db, p: RegisteredPage) =>
  db
    .selectFrom("agent as a")
    .leftJoin("agent_tally as t", "t.agent_id", "a.agent_id")
    .select(["a.id", "a.agent_id", "a.handle", "a.created_at", "a.banned_at"])
    .where("a.created_at", ">=", p.from)
    .where("a.created_at", "<", p.to)
    .where(({ and, eb, or }) =>
      or([
        eb("a.created_at", ">", p.after_at),
        and([eb("a.created_at", "=", p.after_at), eb("a.id", ">", p.after_id)]),
      ]),
    )
    .where(({ eb, or }) => or([eb("a.banned_at", "is", null), eb("a.ban_reason", "=", p.reason)]))
    .where("a.own", "=", 0)
    .where(({ eb, or }) => or([eb("a.handle", "is", null), eb("a.handle", "<>", OPERATOR_HANDLE)]))
    .where(WORKS, "<=", p.works_max)
    .orderBy("a.created_at")
    .orderBy("a.id")
    .limit(p.limit),
);

export const newestPause = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("registration_pause")
    .select(["id", "paused_at", "ends_at", "reason", "resumed_at"])
    .orderBy("id", "desc")
    .limit(1),
);
