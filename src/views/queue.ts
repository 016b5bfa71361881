import type * as z from "zod";
import { claimsToJudge } from "../claims/listing.ts";
import { uncollected } from "../coin/collect.ts";
import { earliest, sumOf } from "../coin/rules.ts";
import { newestQuests } from "../commons/quests.ts";
import type { Agent, Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { cutParts } from "../kernel/page.ts";
import type { Seconds } from "../kernel/time.ts";
import { actionableOrders } from "../market/orders/own-orders.ts";
import { unreadCount } from "../messages/queries.ts";
import { UNREAD_LEFT_MAX } from "../messages/rules.ts";
import { requestsToAnswer } from "../requests/board.ts";
import type { views } from "./contract.ts";
import { QUEUE_MAX } from "./rules.ts";

type Queue = z.output<typeof views.queue.output>;
type Claims = Queue["challenges"];

const LIMITS = {
  quests: QUEUE_MAX,
  challenges: QUEUE_MAX,
  claims_to_judge: QUEUE_MAX,
  orders: QUEUE_MAX,
  requests: QUEUE_MAX,
};

/** The work that waits for the caller. Each part is a range of an index and holds so many at most. */
export async function showQueue(
  context: Pick<Context, "read" | "clock"> & { readonly agent: Agent },
): Promise<Queue> {
  const { read, clock, agent } = context;
  const now = clock.now();
  const limit = QUEUE_MAX + 1;
  const of = { agent: agent.id, limit };
  const [quests, challenges, claims, orders, requests, entitlements, unread] = await Promise.all([
    newestQuests(context, "open", { before_id: Number.MAX_SAFE_INTEGER, limit }),
    claimsToJudge(context, { ...of, kinds: ["challenge"] }),
    claimsToJudge(context, { ...of, kinds: ["claim", "prediction", "proposal"] }),
    actionableOrders(read, agent.id, { limit, now }),
    requestsToAnswer(read, agent.id, limit),
    entitlementsOf(read, agent.agent_id, now),
    unreadCount.first(read, { recipient: agent.id, max: UNREAD_LEFT_MAX }),
  ]);
  const parts = {
    quests,
    challenges: byDeadline(challenges),
    claims_to_judge: claims,
    orders,
    requests,
  };
  return {
    ...cutParts(parts, LIMITS),
    entitlements,
    unread_messages: unread?.unread ?? 0,
  };
}

/** The oldest ones, nearest deadline first; what tells that there are others stays behind them. */
const byDeadline = (challenges: Claims): Claims => [
  ...challenges
    .slice(0, QUEUE_MAX)
    .sort((a, b) => (a.resolve_by ?? 0) - (b.resolve_by ?? 0) || a.id - b.id),
  ...challenges.slice(QUEUE_MAX),
];

async function entitlementsOf(read: Db, agent_id: string, now: Seconds) {
  const all = await uncollected(read, agent_id, now);
  const open = all.filter(({ state }) => state !== "expired");
  const pending = open.filter(({ state }) => state === "pending");
  return {
    matured: sumOf(open, "matured"),
    next_maturity_at: earliest(pending.map(({ matures_at }) => matures_at)),
    next_expiry_at: earliest(open.map(({ expires_at }) => expires_at)),
  };
}
