import { COIN_LOCKED, COIN_SUPPLY, toNumber } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { type ActsState, actKey, emptyActs } from "../../platform/ledger/acts.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import { PLACED_WITHIN_S } from "../../platform/ledger/rules.ts";
import {
  type AnyTransition,
  fault,
  hasCome,
  isAhead,
  isMadeAt,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import {
  bannedAgent,
  emptyIdentity,
  type IdentityState,
  isBanned,
  partyOf,
  unknownAgent,
} from "../identity/ledger.ts";
import { OPERATOR_HANDLE } from "../identity/rules.ts";
import * as entries from "./entries.ts";
import { dayOf, idsIn, REWARD, REWARDS_PER_DAY_MAX, type RewardWhy, termsAt } from "./rules.ts";

/** A reward that is granted, and neither collected nor expired. */
export interface LiveEntitlement {
  readonly agent: string;
  readonly amount: number;
  readonly matures_at: Seconds;
  readonly expires_at: Seconds;
}

export interface CoinState extends IdentityState, ActsState {
  readonly entitlements: Map<number, LiveEntitlement>;
  /** By agent and UTC day; the newest days only. */
  readonly rewardsOn: Map<string, number>;
  readonly balances: Map<string, bigint>;
  pool: bigint;
}

export const emptyCoin = () => ({
  ...emptyIdentity(),
  ...emptyActs(),
  entitlements: new Map<number, LiveEntitlement>(),
  rewardsOn: new Map<string, number>(),
  balances: new Map<string, bigint>(),
  pool: BigInt(COIN_SUPPLY - COIN_LOCKED),
});

/** The beginnings of the sources of each reason. */
const SOURCES: Readonly<Record<RewardWhy, readonly string[]>> = {
  contribution: ["contribution/"],
  repo_commit: ["commit/"],
  app: ["app/"],
  claim_judged: ["claim/", "verdict/"],
  task_pass: ["task/"],
};

const coinReward = transition(entries.coinReward, {
  refuses: {
    pool: fault("The reward pool is empty."),
    act: fault("No entry before it says that the agent has done this, or it has earned already."),
    reason: fault("The act is none that this reason pays."),
    time: fault("A reward is granted in the write of its act, and at no other time."),
    amount: fault("A reward is 0.1 coin."),
    terms: fault("A reward matures 20 days after its grant, and expires 20 days later."),
    daily: fault(`An agent earns ${REWARDS_PER_DAY_MAX} rewards a UTC day.`),
  },
  before: ({ acts, rewardsOn, pool }: CoinState, { body }) => ({
    act_at: acts.get(actKey(body.agent, body.source)),
    today: rewardsOn.get(actKey(body.agent, `${dayOf(body.granted_at)}`)) ?? 0,
    pool,
  }),
  rule({ act_at, today, pool }, entry, refuses) {
    const { amount_micro, why, source, granted_at, matures_at, expires_at } = entry.body;
    if (act_at === undefined) return refuses.act;
    if (!SOURCES[why].some((of) => source.startsWith(of))) return refuses.reason;
    const isNear = entry.isLate || Math.abs(granted_at - act_at) <= PLACED_WITHIN_S;
    if (!isMadeAt(granted_at, entry) || !isNear) return refuses.time;
    if (amount_micro !== Number(REWARD)) return refuses.amount;
    const terms = termsAt(granted_at);
    if (matures_at !== terms.matures_at || expires_at !== terms.expires_at) return refuses.terms;
    if (today >= REWARDS_PER_DAY_MAX) return refuses.daily;
    return pool < REWARD ? refuses.pool : undefined;
  },
  always: ({ pool }, { body }, refuses) =>
    pool < BigInt(body.amount_micro) ? refuses.pool : undefined,
  evolve(state, { body }) {
    const { entitlement_id, agent, source, amount_micro: amount, matures_at, expires_at } = body;
    state.entitlements.set(entitlement_id, { agent, amount, matures_at, expires_at });
    state.acts.delete(actKey(agent, source));
    countReward(state.rewardsOn, agent, {
      on: dayOf(body.granted_at),
      since: dayOf(state.steadyAt),
    });
    state.pool -= BigInt(amount);
  },
});

/** Days are over that ended long before the newest place: nothing can be of them any more, so their counts go. */
function countReward(
  rewardsOn: Map<string, number>,
  agent: string,
  { on, since }: { readonly on: number; readonly since: number },
): void {
  const key = actKey(agent, `${on}`);
  rewardsOn.set(key, (rewardsOn.get(key) ?? 0) + 1);
  for (const day of rewardsOn.keys()) {
    if (Number(day.slice(day.indexOf(" ") + 1)) >= since - 1) return;
    rewardsOn.delete(day);
  }
}

const coinClaim = transition(entries.coinClaim, {
  refuses: {
    own: fault("Each entitlement is the agent's own, rising, and collected once."),
    early: fault("An entitlement has not matured."),
    late: fault("An entitlement has expired."),
    sum: fault("A claim is the count and the sum of its entitlements."),
    banned: bannedAgent,
  },
  before: ({ entitlements, agents }: CoinState, { body }) => ({
    agent: partyOf(agents.get(body.agent)),
    named: idsIn(body.entitlements).map((id) => entitlements.get(id)),
  }),
  rule({ agent, named }, entry, refuses) {
    const { body } = entry;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!areRising(idsIn(body.entitlements))) return refuses.own;
    for (const each of named) {
      if (each?.agent !== body.agent) return refuses.own;
      if (!hasCome(each.matures_at, entry)) return refuses.early;
      if (!isAhead(each.expires_at, entry)) return refuses.late;
    }
    const isSum = named.length === body.count && sumOf(named) === body.amount_micro;
    return isSum ? undefined : refuses.sum;
  },
  always({ named }, { body }, refuses) {
    if (!areRising(idsIn(body.entitlements)) || named.includes(undefined)) return refuses.own;
    return sumOf(named) === body.amount_micro ? undefined : refuses.sum;
  },
  evolve(state, { body }) {
    for (const id of idsIn(body.entitlements)) state.entitlements.delete(id);
    credit(state.balances, body.agent, BigInt(body.amount_micro));
  },
});

const areRising = (ids: readonly number[]): boolean =>
  ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0));

const sumOf = (named: readonly (LiveEntitlement | undefined)[]): number =>
  named.reduce((sum, each) => sum + (each?.amount ?? 0), 0);

/** Adds to the balance of an agent. */
export function credit(balances: Map<string, bigint>, agent: string, amount: bigint): void {
  balances.set(agent, (balances.get(agent) ?? 0n) + amount);
}

const coinExpire = transition(entries.coinExpire, {
  refuses: {
    live: fault("Only a reward that was granted and not collected expires, whole."),
    early: fault("The reward has not expired."),
  },
  before: ({ entitlements }: CoinState, { body }) => entitlements.get(body.entitlement_id),
  rule(found, entry, refuses) {
    const { agent, amount_micro } = entry.body;
    if (found?.agent !== agent || found.amount !== amount_micro) return refuses.live;
    return hasCome(found.expires_at, entry) ? undefined : refuses.early;
  },
  always: (found, { body }, refuses) =>
    found?.amount === body.amount_micro ? undefined : refuses.live,
  evolve(state, { body }) {
    state.entitlements.delete(body.entitlement_id);
    state.pool += BigInt(body.amount_micro);
  },
  due: (found) => found?.expires_at ?? null,
});

export const coinTransfer = transition(entries.coinTransfer, {
  refuses: {
    unknown: unknownAgent,
    self: refusal("validation_failed", "Coins are sent to another agent.", [
      { field: "to", problem: "must be another agent" },
    ]),
    banned: bannedAgent,
    toBanned: refusal("recipient_banned", "The recipient is banned and could never use the coins."),
    toNetwork: refusal(
      "recipient_banned",
      "The network's own agent has no token and could never use the coins.",
    ),
    balance: refusal(
      "insufficient_balance",
      "Your balance is lower than the amount; pending and matured entitlements do not count.",
    ),
  },
  before: ({ agents, balances }: CoinState, { body }) => ({
    from: partyOf(agents.get(body.from)),
    to: partyOf(agents.get(body.to)),
    balance: balances.get(body.from) ?? 0n,
  }),
  rule({ from, to, balance }, entry, refuses) {
    const { body } = entry;
    if (from === undefined || to === undefined) return refuses.unknown;
    if (body.from === body.to) return refuses.self;
    if (isBanned(to, entry)) return refuses.toBanned;
    if (to.handle === OPERATOR_HANDLE) return refuses.toNetwork;
    if (isBanned(from, entry)) return refuses.banned;
    if (body.amount_micro > 0 && balance >= BigInt(body.amount_micro)) return undefined;
    const details = [{ field: "balance", problem: `${toNumber(balance)}` }];
    return { ...refuses.balance, details };
  },
  always: ({ balance }, { body }, refuses) =>
    balance < BigInt(body.amount_micro) ? refuses.balance : undefined,
  evolve({ balances }, { body }) {
    credit(balances, body.from, -BigInt(body.amount_micro));
    credit(balances, body.to, BigInt(body.amount_micro));
  },
  actor: (_, { body }) => body.from,
});

export const coinTransitions: readonly AnyTransition<CoinState>[] = [
  coinReward,
  coinClaim,
  coinExpire,
  coinTransfer,
];

/** Rewards that expired and that nobody gave back to the pool. */
export function* owedCoin({ entitlements, last }: CoinState): Generator<Owed> {
  for (const [id, { expires_at: since }] of entitlements)
    if (since <= last.at)
      yield {
        of: `entitlement/${id}`,
        since,
        sentence: "The reward expired, and no entry says so.",
      };
}
