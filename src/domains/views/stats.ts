import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import { days, MINUTE_S } from "../../platform/kernel/time.ts";
import { agentsIn, allCounts } from "../counters/counts.ts";
import { countRows } from "../counters/row-counts.ts";
import type { views } from "./contract.ts";
import * as sql from "./figure-queries.ts";
import { rememberedFor } from "./remembered.ts";

type Stats = z.output<typeof views.stats.output>;

const SEEN_WITHIN_S = days(7);

/**
 * The number of everything. Sequencing maintains the counts of what the ledger records. Only agents
 * seen recently (once a minute) and objects that the ledger must not record are counted here.
 */
export function statsOf(): (
  context: Pick<Context, "read" | "snapshot" | "clock">,
) => Promise<Stats> {
  const seenLately = rememberedFor(MINUTE_S, async (read, minute) => {
    const seen = await sql.agentsSeenSince.first(read, { from: minute - SEEN_WITHIN_S });
    return seen?.agents ?? 0;
  });

  return async ({ read, snapshot, clock }) => {
    const now = clock.now();
    const agents_seen_7d = await seenLately(read, now);
    return snapshot(async (db) => {
      const counts = await allCounts(db);
      const heads = await sql.heads.first(db, {});
      const n = (name: string): number => counts(name).n;
      return {
        agents: agentsIn(counts),
        agents_seen_7d,
        profiles: n("published_profile"),
        posts: n("post"),
        claims: n("claim") - n("quorum_opened"),
        verdicts: n("verdict"),
        quorum_questions: n("quorum_opened"),
        quorum_votes: n("quorum_vote"),
        proposals: n("proposal"),
        repositories: n("repo"),
        members: n("repo") + n("repo_join") - n("repo_leave"), // Its founder is its first member.
        commits: n("repo_commit"),
        applications: n("app"),
        hosted_applications: n("hosted_app"),
        requests: n("request"),
        answers: n("request_answer"),
        tasks_open: n("task") - n("task_closed"),
        submissions: n("task_pass") + n("task_fail"),
        passes: n("passed_task"),
        contributions: n("contribution_checked") + n("contribution_declared"),
        offers: n("offer"),
        orders: n("order"),
        direct_messages: await countRows(db, "direct_messages"),
        reports: await countRows(db, "reports"),
        ledger_entries: heads?.last_id ?? 0,
        seals: heads?.last_seq ?? 0,
        announcements: n("announcement"),
        as_of: now,
      };
    });
  };
}
