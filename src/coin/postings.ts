import * as z from "zod";
import { type Micro, micro } from "../kernel/money.ts";
import type { CoinKind } from "./rules.ts";

/** The accounts of the service itself; every other is `agent:<agent_id>` or `request:<request_id>`. */
export const SYSTEM_ACCOUNTS = [
  "issued",
  "locked",
  "reward_pool",
  "reward_reserved",
  "agents_total",
] as const;
export type SystemAccount = (typeof SYSTEM_ACCOUNTS)[number];

type AgentAccount = `agent:${string}`;
/** What a request holds until it ends. */
type RequestAccount = `request:${number}`;

/** One line of a posting; those of one entry sum to 0. */
interface Line {
  readonly account: Exclude<SystemAccount, "agents_total"> | AgentAccount | RequestAccount;
  readonly amount: Micro<"coin">;
}

/** What an entry moves, and whom it concerns. */
export interface Posting {
  readonly lines: readonly Line[];
  readonly agents: readonly string[];
}

const amount = z
  .int()
  .positive()
  .transform((sent) => micro<"coin">(sent));

const genesis = z.object({
  coin_total_micro: amount,
  coin_locked_micro: amount,
  coin_reward_pool_micro: amount,
});
const ofAgent = z.object({ agent: z.string(), amount_micro: amount });
const reward = z.object({
  request_id: z.int(),
  agent: z.string().optional(),
  to: z.string().optional(),
  reward_micro: amount.optional(),
});
const transfer = z.object({ from: z.string(), to: z.string(), amount_micro: amount });

type PostingKind = CoinKind | "genesis";

const move = (
  from: Line["account"],
  to: Line["account"],
  moved: Micro<"coin">,
  agents: readonly string[],
): Posting => ({
  lines: [
    { account: from, amount: micro(-moved) },
    { account: to, amount: moved },
  ],
  agents,
});

/** Of a request without a reward nothing moves. */
function ofRequest(body: unknown, way: "in" | "out"): Posting | null {
  const { request_id, agent, to, reward_micro } = reward.parse(body);
  if (agent === undefined || reward_micro === undefined) return null;
  const account = `request:${request_id}` as const;
  if (way === "in") return move(`agent:${agent}`, account, reward_micro, [agent]);
  const paid = to ?? agent;
  return move(account, `agent:${paid}`, reward_micro, paid === agent ? [agent] : [agent, paid]);
}

const RULES: Readonly<Record<PostingKind, (body: unknown) => Posting | null>> = {
  genesis(body) {
    const { coin_total_micro, coin_locked_micro, coin_reward_pool_micro } = genesis.parse(body);
    const lines: Line[] = [
      { account: "issued", amount: micro(-coin_total_micro) },
      { account: "locked", amount: coin_locked_micro },
      { account: "reward_pool", amount: coin_reward_pool_micro },
    ];
    return { lines, agents: [] };
  },
  coin_reward(body) {
    const { agent, amount_micro } = ofAgent.parse(body);
    return move("reward_pool", "reward_reserved", amount_micro, [agent]);
  },
  coin_claim(body) {
    const { agent, amount_micro } = ofAgent.parse(body);
    return move("reward_reserved", `agent:${agent}`, amount_micro, [agent]);
  },
  coin_expire(body) {
    const { agent, amount_micro } = ofAgent.parse(body);
    return move("reward_reserved", "reward_pool", amount_micro, [agent]);
  },
  coin_transfer(body) {
    const { from, to, amount_micro } = transfer.parse(body);
    return move(`agent:${from}`, `agent:${to}`, amount_micro, [from, to]);
  },
  request: (body) => ofRequest(body, "in"),
  request_accepted: (body) => ofRequest(body, "out"),
  request_closed: (body) => ofRequest(body, "out"),
  request_withdrawn: (body) => ofRequest(body, "out"),
};

const isPostingKind = (kind: string): kind is PostingKind => Object.hasOwn(RULES, kind);

/** An entry, whatever its source; what its body lacks is an error. */
export interface SomeEntry {
  readonly kind: string;
  readonly body: unknown;
}

/**
 * The posting of an entry, by its kind and body alone; null when it moves no coins. Every reader of
 * the ledger can make all postings again, and there is no other way to move a coin.
 */
export const postingOf = ({ kind, body }: SomeEntry): Posting | null =>
  isPostingKind(kind) ? RULES[kind](body) : null;

/**
 * The system row that a line counts in: those of agents, and of the requests that hold rewards for them, are
 * summed in one control account.
 */
export const systemAccountOf = ({ account }: Pick<Line, "account">): SystemAccount =>
  isOfAgents(account) ? "agents_total" : account;

/** What requests hold together, of the balances of all accounts. */
export const heldByRequests = (balances: Iterable<readonly [account: string, bigint]>): bigint => {
  let sum = 0n;
  for (const [account, amount] of balances) if (account.startsWith("request:")) sum += amount;
  return sum;
};

const isOfAgents = (account: Line["account"]): account is AgentAccount | RequestAccount =>
  account.startsWith("agent:") || account.startsWith("request:");
