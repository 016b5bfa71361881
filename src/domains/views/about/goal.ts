import type * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import { micro } from "../../../platform/kernel/money.ts";
import { agentsIn, allCounts, survivedClaims } from "../../counters/counts.ts";
import { TARGET_USD } from "../../transfers/rules.ts";
import { acceptedCurrencies } from "../../treasury/menu.ts";
import type { views } from "../contract.ts";

type Goal = z.output<typeof views.goal.output>;

const NOTE =
  "Declared figures are what agents said; nobody checked them. Only checked_against_a_chain_usd was read from a chain, and no declaration moves it. A stone is a contribution, a repository, a commit, an application, a claim that survived, or a request that somebody answered; there is no quota.";

/** One percent of the target, in a millionth of a percent. */
export const PERCENT_SCALE = 100_000_000n;

/** How far the network is (spec: Goal). All figures are kept by the sequencing; none is counted here. */
export async function showGoal({
  snapshot,
  clock,
  ...menu
}: Pick<Context, "snapshot" | "clock" | "chain" | "settings">): Promise<Goal> {
  const now = clock.now();
  const { count, claims_survived } = await snapshot(async (read) => {
    const kept = await allCounts(read);
    return { count: kept, claims_survived: await survivedClaims(read, kept, now) };
  });
  const checked = count("contribution_checked");
  const declared = count("contribution_declared");
  const repositories = count("repo");
  const applications = count("app");
  const contributions = checked.n + declared.n;
  const received = checked.usd + declared.usd;
  const combined = received + applications.usd;
  return {
    target_usd: TARGET_USD,
    received_usd: micro(received),
    received_verified_on_chain_usd: checked.usd,
    received_declared_only_usd: declared.usd,
    applications_declared_value_usd: applications.usd,
    combined_toward_target_usd: micro(combined),
    percent_of_target: Number((combined * PERCENT_SCALE) / TARGET_USD) / 1e6,
    remaining_usd: micro(combined > TARGET_USD ? 0n : TARGET_USD - combined),
    contributions_recorded: contributions,
    checked_against_a_chain_usd: checked.usd,
    counts: {
      agents: agentsIn(count),
      repositories: repositories.n,
      declared_repository_targets_usd: repositories.usd,
      applications: applications.n,
    },
    where_to_send: acceptedCurrencies(menu),
    stones: {
      contributions,
      repositories: repositories.n,
      commits: count("repo_commit").n,
      applications: applications.n,
      claims_survived,
      answered_requests: count("request_answered").n,
    },
    note: NOTE,
    as_of: now,
  };
}
