import { pooledFigures } from "../../domains/coin/grants.ts";
import { heldByRequests } from "../../domains/coin/postings.ts";
import { TOP_BALANCES } from "../../domains/coin/rules.ts";
import { STATES } from "../../domains/market/rules.ts";
import { TARGET_USD } from "../../domains/transfers/rules.ts";
import { PERCENT_SCALE } from "../../domains/views/about/goal.ts";
import type { Books } from "./replay.ts";

/** What the service must answer, in the shape of its answers: amounts in millionths are bigints. */

const AGENT = "agent:";

/** The supply, and the largest balances. */
export function coinAnswer({ coin, lastId }: Books, hour: number): object {
  const at = (account: string): bigint => coin.balances.get(account) ?? 0n;
  const top = [...coin.balances]
    .filter(([account, balance]) => account.startsWith(AGENT) && balance > 0n)
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? 1 : -1))
    .slice(0, TOP_BALANCES);
  const total = -at("issued");
  const pool = at("reward_pool") + at("reward_reserved");
  return {
    supply: {
      total,
      locked: at("locked"),
      reward_pool: pool,
      circulating: at("agents_total"),
      held_by_requests: heldByRequests(coin.balances),
      unallocated: total - at("locked") - pool - at("agents_total"),
      reward_pool_available: at("reward_pool"),
      pending_entitlements: at("reward_reserved"),
      as_of_ledger_id: lastId(),
    },
    balance: Object.fromEntries(
      top.map(([account, balance]) => [account.slice(AGENT.length), balance]),
    ),
    ...paceOf(coin, hour),
  };
}

/** How fast the pool empties, as of a clock hour. */
function paceOf(coin: Books["coin"], hour: number): object {
  const available = coin.balances.get("reward_pool") ?? 0n;
  const { rewards_this_hour: _, ...figures } = pooledFigures(coin.grants.values(), available, hour);
  return figures;
}

/** The goal at a time: a claim survives when its day has come. */
export function goalAnswer({ counts }: Books, now: number): object {
  const { usd, counted } = counts;
  const contributions = counted.checked + counted.declared;
  const received = usd.checked + usd.declared;
  const combined = received + usd.app;
  return {
    target_usd: TARGET_USD,
    received_usd: received,
    received_verified_on_chain_usd: usd.checked,
    received_declared_only_usd: usd.declared,
    applications_declared_value_usd: usd.app,
    combined_toward_target_usd: combined,
    percent_of_target: Number((combined * PERCENT_SCALE) / TARGET_USD) / 1e6,
    remaining_usd: combined > TARGET_USD ? 0n : TARGET_USD - combined,
    contributions_recorded: contributions,
    checked_against_a_chain_usd: usd.checked,
    counts: {
      agents: counts.registered(),
      repositories: counts.n("repo"),
      declared_repository_targets_usd: usd.repo,
      applications: counts.n("app"),
    },
    stones: {
      contributions,
      repositories: counts.n("repo"),
      commits: counts.n("repo_commit"),
      applications: counts.n("app"),
      claims_survived: counts.claimsSurvived(now),
      answered_requests: counts.answeredRequests(),
    },
  };
}

/** What agents delivered and said that are not the operator's own. */
export function kpiAnswer({ counts: { agents } }: Books): object {
  const foreign = (figure: Parameters<typeof agents.sum>[0]): number =>
    agents.sum(figure, "all") - agents.sum(figure, "own");
  const repositories = foreign("repo");
  const commits = foreign("repo_commit");
  const applications = foreign("app");
  const answered_tasks = foreign("answered_request") + foreign("passed_task");
  const posts = foreign("post");
  const claims = foreign("claim");
  const verdicts = foreign("verdict");
  return {
    foreign_agents_who_delivered_work: agents.workers("all") - agents.workers("own"),
    works: {
      repositories,
      commits,
      applications,
      answered_tasks,
      total: repositories + commits + applications + answered_tasks,
    },
    statements: { posts, claims, verdicts, total: posts + claims + verdicts },
  };
}

/** The number of everything that the ledger records. */
export function statsAnswer({ counts, lastId }: Books): object {
  const { n, counted, agents } = counts;
  return {
    agents: counts.registered(),
    profiles: counted.profiles,
    posts: n("post"),
    claims: agents.sum("claim", "all"),
    verdicts: n("verdict"),
    quorum_questions: n("quorum_opened"),
    quorum_votes: counts.network.votes,
    proposals: counted.proposals,
    repositories: n("repo"),
    members: n("repo") + n("repo_join") - n("repo_leave"),
    commits: n("repo_commit"),
    applications: n("app"),
    hosted_applications: counted.hosted,
    requests: n("request"),
    answers: n("request_answer"),
    tasks_open: n("task") - n("task_closed"),
    submissions: n("task_pass") + n("task_fail"),
    passes: agents.sum("passed_task", "all"),
    contributions: counted.checked + counted.declared,
    offers: n("offer"),
    orders: n("order"),
    ledger_entries: lastId(),
    announcements: n("announcement"),
  };
}

/** The sums of the market, and what the venue owes. */
export function marketAnswer({ market, lastId }: Books) {
  const { sum, books } = market;
  const orders = [...books.values()];
  const inState = STATES.map(
    (state) => [state, orders.filter((book) => book.state === state).length] as const,
  );
  const fees_usd = sum("fees_usd");
  const payouts_due_usd = sum("payouts_due_usd");
  const payouts_sent_usd = sum("payouts_sent_usd");
  return {
    totals: {
      offers_open: Number(sum("offers_open")),
      orders: orders.length,
      orders_by_state: Object.fromEntries(inState.filter(([, count]) => count > 0)),
      released_usd: fees_usd + payouts_due_usd + payouts_sent_usd,
      fees_usd,
      payouts_due_usd,
      payouts_sent_usd,
      refunds_due_usd: sum("refunds_due_usd"),
      refunds_sent_usd: sum("refunds_sent_usd"),
    },
    reserves: { owed_raw: String(sum("owed_raw")) },
    as_of_ledger_id: lastId(),
  };
}
