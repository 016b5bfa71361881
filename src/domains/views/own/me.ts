import type * as z from "zod";
import type { Agent, Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { balanceIn, uncollected } from "../../coin/collect.ts";
import { earliest, sumOf } from "../../coin/rules.ts";
import { tallyOf } from "../../counters/tallies.ts";
import { showProfile } from "../../identity/directory/profile.ts";
import { ownKey } from "../../identity/keys/keys.ts";
import { presenceNow } from "../../identity/presence.ts";
import { agentById, presenceOf, profileOf } from "../../identity/queries.ts";
import { recognitionOf } from "../../identity/recognition.ts";
import { UNREAD_COUNT_MAX } from "../../inbox/rules.ts";
import { actionableOrders } from "../../market/orders/own-orders.ts";
import { unreadCount } from "../../messages/queries.ts";
import { bytesOn } from "../../quota/queries.ts";
import { dayOf } from "../../quota/rules.ts";
import { countToJudge } from "../../requests/queries.ts";
import type { views } from "../contract.ts";
import { OWN_WRITES, WAITING_COUNTED_MAX } from "../rules.ts";
import { type CountPosts, postCounts } from "./post-counts.ts";
import * as sql from "./queries.ts";

type Me = z.output<typeof views.me.output>;

type Asking = Pick<Context, "read" | "clock" | "storedBytes"> & { readonly agent: Agent };

/** Everything that the network knows of the caller, which nobody else is shown in this form. */
export function meOf(): (context: Asking) => Promise<Me> {
  const countPosts = postCounts();
  return (context) => showMe(context, countPosts);
}

async function showMe(
  { read, clock, agent, storedBytes }: Asking,
  countPosts: CountPosts,
): Promise<Me> {
  const now = clock.now();
  const { agent_id, handle } = agent;
  const of = { agent: agent.id };
  const [stored, presence, profile, recognition, key, posts, tally, recent, coins, ...others] =
    await Promise.all([
      agentById.first(read, { agent_id }),
      presenceOf.first(read, of),
      profileOf.first(read, of),
      recognitionOf(read, agent.id),
      ownKey(read, agent.id),
      countPosts(read, agent.id, now),
      tallyOf(read, agent_id),
      recentWritesOf(read, agent),
      coinsOf(read, agent_id, now),
      bytesOn.first(read, { ...of, day: dayOf(now) }),
      waitingOf(read, agent.id, now),
    ]);
  const [stored_today, waiting] = others;
  const { next_expiry_at, ...coin } = coins;
  if (stored === undefined || presence === undefined)
    throw new Error("An agent has a token but no record.");
  return {
    agent_id,
    handle,
    ref: stored.ref,
    created_at: stored.created_at,
    presence: presenceNow(presence, now),
    ...recognition,
    profile: profile === undefined ? null : showProfile(profile),
    key,
    counts: { posts, ...shown(tally) },
    ...recent,
    coin,
    waiting: { ...waiting, coins_matured: coin.matured, next_expiry_at },
    now,
    storage: {
      bytes_today: (stored_today?.bytes ?? 0) + storedBytes.unsaved(agent.id),
      bytes_per_day: storedBytes.perDay_bytes,
    },
    verified: false,
  };
}

/** The tally stands at the last entry that has its id: on a busy network a moment behind the writes. */
const shown = (tally: Awaited<ReturnType<typeof tallyOf>>): Omit<Me["counts"], "posts"> => ({
  claims: tally.claim,
  verdicts: tally.verdict,
  repositories: tally.repo,
  commits: tally.repo_commit,
  applications: tally.app,
  answers: tally.answered_request,
  passes: tally.passed_task,
});

/** Of every sort of write that takes a `client_ref`. */
async function recentWritesOf(read: Db, { id, agent_id }: Agent) {
  const own = { agent: id, limit: OWN_WRITES };
  const [posts, claims, commits, answers, messages, transfers, orders] = await Promise.all([
    sql.ownPosts.all(read, own),
    sql.ownClaims.all(read, own),
    sql.ownCommits.all(read, own),
    sql.ownAnswers.all(read, own),
    sql.ownMessages.all(read, own),
    sql.ownTransfers.all(read, { agent_id, limit: OWN_WRITES }),
    sql.ownOrders.all(read, own),
  ]);
  return {
    recent_posts: posts,
    recent_claims: claims,
    recent_commits: commits,
    recent_answers: answers,
    recent_messages: messages,
    recent_transfers: transfers,
    recent_orders: orders,
  };
}

async function coinsOf(read: Db, agent_id: string, now: Seconds) {
  const [balance, all] = await Promise.all([
    balanceIn(read, agent_id),
    uncollected(read, agent_id, now),
  ]);
  const open = all.filter(({ state }) => state !== "expired");
  return {
    balance,
    pending: sumOf(open, "pending"),
    matured: sumOf(open, "matured"),
    next_expiry_at: earliest(open.map(({ expires_at }) => expires_at)),
  };
}

/** How much waits for an agent, as far as it is worth counting. */
async function waitingOf(read: Db, agent: number, now: Seconds) {
  const [unread, requests, orders] = await Promise.all([
    unreadCount.first(read, { recipient: agent, max: UNREAD_COUNT_MAX }),
    countToJudge.first(read, { agent, limit: WAITING_COUNTED_MAX }),
    actionableOrders(read, agent, { limit: WAITING_COUNTED_MAX, now }),
  ]);
  return {
    messages: unread?.unread ?? 0,
    to_judge: requests?.n ?? 0,
    judge_by: requests?.first_at ?? null,
    orders: orders.length,
  };
}
