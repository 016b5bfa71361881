import { fieldsIn } from "../../platform/kernel/contract/entry-kind.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import * as ledger from "../../platform/ledger/entries.ts";
import * as requests from "../requests/entries.ts";
import * as entries from "./entries.ts";
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

type PostingKind = CoinKind | "genesis";

function move(
  from: Line["account"],
  to: Line["account"],
  moved: Micro<"coin">,
  agents: readonly string[],
): Posting {
  if (moved <= 0) throw new RangeError("An entry that moves coins moves some.");
  const lines = [
    { account: from, amount: micro<"coin">(-moved) },
    { account: to, amount: moved },
  ];
  return { lines, agents };
}

const OF_AGENT = ["agent", "amount_micro"] as const;
const OF_REQUEST = ["request_id", "agent", "reward_micro"] as const;

/** What moves with a request: nothing where it has no reward. */
interface Reward {
  readonly request_id: number;
  readonly agent?: string | undefined;
  readonly reward_micro?: number | undefined;
}

const hold = ({ request_id, agent, reward_micro }: Reward): Posting | null =>
  agent === undefined || reward_micro === undefined
    ? null
    : move(`agent:${agent}`, `request:${request_id}`, micro(reward_micro), [agent]);

/** To the agent of an answer, or back to the asker. */
function pay({ request_id, agent, reward_micro }: Reward, to = agent): Posting | null {
  if (agent === undefined || reward_micro === undefined) return null;
  const concerned = to === agent ? [agent] : [agent, `${to}`];
  return move(`request:${request_id}`, `agent:${to}`, micro(reward_micro), concerned);
}

const RULES: Readonly<Record<PostingKind, (body: unknown) => Posting | null>> = {
  genesis(body) {
    const [total, locked, pool] = [
      "coin_total_micro",
      "coin_locked_micro",
      "coin_reward_pool_micro",
    ] as const;
    const sealed = fieldsIn(ledger.genesis, body, total, locked, pool);
    const lines: Line[] = [
      { account: "issued", amount: micro(-sealed[total]) },
      { account: "locked", amount: micro(sealed[locked]) },
      { account: "reward_pool", amount: micro(sealed[pool]) },
    ];
    return { lines, agents: [] };
  },
  coin_reward(body) {
    const { agent, amount_micro } = fieldsIn(entries.coinReward, body, ...OF_AGENT);
    return move("reward_pool", "reward_reserved", micro(amount_micro), [agent]);
  },
  coin_claim(body) {
    const { agent, amount_micro } = fieldsIn(entries.coinClaim, body, ...OF_AGENT);
    return move("reward_reserved", `agent:${agent}`, micro(amount_micro), [agent]);
  },
  coin_expire(body) {
    const { agent, amount_micro } = fieldsIn(entries.coinExpire, body, ...OF_AGENT);
    return move("reward_reserved", "reward_pool", micro(amount_micro), [agent]);
  },
  coin_transfer(body) {
    const sealed = fieldsIn(entries.coinTransfer, body, "from", "to", "amount_micro");
    const { from, to, amount_micro } = sealed;
    return move(`agent:${from}`, `agent:${to}`, micro(amount_micro), [from, to]);
  },
  request: (body) => hold(fieldsIn(requests.request, body, ...OF_REQUEST)),
  request_accepted(body) {
    const sealed = fieldsIn(requests.requestAccepted, body, ...OF_REQUEST, "to");
    return pay(sealed, sealed.to);
  },
  request_closed: (body) => pay(fieldsIn(requests.requestClosed, body, ...OF_REQUEST)),
  request_withdrawn: (body) => pay(fieldsIn(requests.requestWithdrawn, body, ...OF_REQUEST)),
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
