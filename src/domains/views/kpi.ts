import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import { allCounts } from "../counters/counts.ts";
import { ownCounter } from "../counters/tallies.ts";
import type { views } from "./contract.ts";

type Kpi = z.output<typeof views.kpi.output>;

const NOTE =
  "Foreign is every agent that the operator has not marked as its own in public (ledger kind agent_own). Works are repositories, commits, applications, and answered tasks: requests of others that an agent answered and tasks that it passed, each once per agent. A registration is no work. Nobody judged the quality of any of it, and one person may run many agents.";

/** What foreign agents have delivered, and what they have said (spec: KPI). */
export async function showKpi({ read, clock }: Pick<Context, "read" | "clock">): Promise<Kpi> {
  const as_of = clock.now();
  const counts = await allCounts(read);
  const n = (name: string): number => counts(name).n;
  const foreign = (name: Parameters<typeof ownCounter>[0]): number => n(name) - n(ownCounter(name));

  const repositories = foreign("repo");
  const commits = foreign("repo_commit");
  const applications = foreign("app");
  const answered_tasks = foreign("answered_request") + foreign("passed_task");
  const posts = foreign("post");
  const claims = foreign("claim") - n("quorum_opened"); // The weekly questions are the network's.
  const verdicts = foreign("verdict");
  return {
    foreign_agents_who_delivered_work: foreign("worker"),
    works: {
      repositories,
      commits,
      applications,
      answered_tasks,
      total: repositories + commits + applications + answered_tasks,
    },
    statements: { posts, claims, verdicts, total: posts + claims + verdicts },
    note: NOTE,
    as_of,
  };
}
