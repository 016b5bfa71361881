import { type CoinState, credit } from "../coin/ledger.ts";
import {
  bannedAgent,
  isBanned,
  type KnownAgent,
  mayBeBanned,
  unknownAgent,
} from "../identity/ledger.ts";
import { toNumber } from "../kernel/money.ts";
import type { Seconds } from "../kernel/time.ts";
import type { Owed } from "../ledger/replay.ts";
import {
  type AnyTransition,
  become,
  type DraftedBody,
  fault,
  hasCome,
  isAhead,
  numberIn,
  refusal,
  transition,
} from "../ledger/transition.ts";
import * as entries from "./entries.ts";
import {
  CLOSES_MAX_S,
  CLOSES_MIN_S,
  FOLLOW_UPS_MAX,
  QUESTIONS_MAX,
  REQUEST_REWARD_MIN,
  REWARDED_OPEN_MAX,
  TAKEN_AFTER_S,
} from "./rules.ts";

/** An answer that its asker has not judged. */
interface Waiting {
  readonly agent: string;
  readonly at: Seconds;
}

/** The terms of a request that ends with an accepted answer. */
interface Terms {
  readonly asker: string;
  readonly closes_at: Seconds;
  readonly to: string | undefined;
}

/** What such a request has beside the others. */
interface Accepting {
  readonly terms: Terms;
  /** Those who asked back and made it wait, where questions can; else null. */
  readonly asked: Set<string> | null;
  /** By the id of the answer. */
  readonly waiting: Map<number, Waiting>;
  /** What its account holds: nothing once it has ended. */
  held: number;
}

/** Where a request stands. */
interface Standing {
  /** Undefined where nobody that the network knows has asked. */
  readonly agent: string | undefined;
  readonly messages: number;
  /** Whether its asker still looks for answers: until the first one, and then as it says. */
  readonly wanted: 0 | 1;
  readonly wants: number;
  /** Whether an answer has ended it. */
  readonly isAnswered: boolean;
  readonly isWithdrawn: boolean;
}

interface KnownRequest {
  readonly standing: Standing;
  /** Null where the first answer of another agent ends it. */
  readonly accepting: Accepting | null;
}

export interface RequestsState extends CoinState {
  readonly requests: Map<number, KnownRequest>;
  /** How many requests with a reward an asker has open. */
  readonly rewarded: Map<string, number>;
}

export const emptyRequests = () => ({
  requests: new Map<number, KnownRequest>(),
  rewarded: new Map<string, number>(),
});

const unknownRequest = refusal("request_not_found", "There is no request with this id.");
const withdrawnRequest = refusal(
  "request_withdrawn",
  "The request was withdrawn. Choose another one of {requests.list}.",
);
const endedRequest = refusal("request_ended", "The request has ended.");

const request = transition(entries.request, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    form: fault("Only a request with an asker that ends with an accepted answer has terms."),
    closes: fault("Such a request closes 1 hour to 30 days after it was made."),
    to: fault("The agent that a request is for is known, and not its asker."),
    reward: fault("A reward is at least 0.01 coin."),
    count: fault(`An asker has at most ${REWARDED_OPEN_MAX} requests with a reward open.`),
    balance: refusal("insufficient_balance", "Your balance is lower than the reward."),
  },
  isTimed: (_, { body }) => body.ends !== undefined,
  before: ({ agents, balances, rewarded }: RequestsState, { body }) => ({
    agent: body.agent === undefined ? null : agents.get(body.agent),
    isToKnown: body.to === undefined || (agents.has(body.to) && body.to !== body.agent),
    balance: balances.get(body.agent ?? "") ?? 0n,
    rewarded: rewarded.get(body.agent ?? "") ?? 0,
  }),
  rule({ agent, isToKnown, balance, rewarded }, entry, refuses) {
    const { ends, closes_at, reward_micro, to, questions } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (agent !== null && isBanned(agent, entry)) return refuses.banned;
    const terms = [closes_at, reward_micro, to, questions];
    if (ends === undefined)
      return terms.every((each) => each === undefined) ? undefined : refuses.form;
    if (agent === null || closes_at === undefined) return refuses.form;
    const isInTime =
      closes_at >= entry.earliest + CLOSES_MIN_S && closes_at <= entry.latest + CLOSES_MAX_S;
    if (!isInTime) return refuses.closes;
    if (!isToKnown) return refuses.to;
    if (reward_micro === undefined) return undefined;
    if (reward_micro < REQUEST_REWARD_MIN) return refuses.reward;
    if (rewarded >= REWARDED_OPEN_MAX) return refuses.count;
    if (balance >= BigInt(reward_micro)) return undefined;
    return {
      ...refuses.balance,
      details: [{ field: "balance", problem: `${toNumber(balance)}` }],
    };
  },
  always: ({ balance }, { body: { reward_micro = 0 } }, refuses) =>
    balance < BigInt(reward_micro) ? refuses.balance : undefined,
  evolve(state, { body }) {
    const { request_id, agent, reward_micro = 0 } = body;
    const accepting = acceptingOf(body);
    const ends = { isAnswered: false, isWithdrawn: false };
    const standing = { agent, messages: 0, wanted: 1, wants: 0, ...ends } as const;
    state.requests.set(request_id, { standing, accepting });
    if (agent === undefined || reward_micro === 0) return;
    credit(state.balances, agent, -BigInt(reward_micro));
    state.rewarded.set(agent, (state.rewarded.get(agent) ?? 0) + 1);
  },
  actor: (_, { body }) => body.agent,
});

/** The terms of a request that ends with an accepted answer; null for others. */
function acceptingOf(body: {
  readonly ends?: "accepted" | undefined;
  readonly agent?: string | undefined;
  readonly closes_at?: number | undefined;
  readonly to?: string | undefined;
  readonly questions?: 1 | undefined;
  readonly reward_micro?: number | undefined;
}): Accepting | null {
  const { ends, agent: asker, closes_at = 0, to, questions, reward_micro: held = 0 } = body;
  if (ends === undefined || asker === undefined) return null;
  const asked = questions === 1 ? new Set<string>() : null;
  return { terms: { asker, closes_at, to }, asked, waiting: new Map(), held };
}

/** A request stands otherwise from now on. */
const stands = (
  { requests }: Pick<RequestsState, "requests">,
  { request_id }: { readonly request_id: number },
  next: (was: Standing) => Partial<Standing>,
): void =>
  become(requests, request_id, ({ standing, ...request }) => ({
    ...request,
    standing: { ...standing, ...next(standing) },
  }));

/** The answer of the agent that a request is for, which counts as accepted if it is not refused. */
interface Taken {
  readonly answer_id: number;
  /** When it counts as accepted. */
  readonly at: Seconds;
  readonly by: KnownAgent;
}

function takenIn(
  { terms: { to }, waiting }: Accepting,
  agents: RequestsState["agents"],
): Taken | null {
  for (const [answer_id, { agent, at }] of waiting) {
    const by = agent === to ? agents.get(agent) : undefined;
    if (by !== undefined) return { answer_id, at: at + TAKEN_AFTER_S, by };
  }
  return null;
}

/**
 * Until when its asker may judge: the later of both times where the agent that it is for can have been banned when its
 * answer would have counted as accepted, because the clock passed over it then.
 */
function endsAt({ closes_at }: Terms, taken: Taken | null): Seconds {
  if (taken === null) return closes_at;
  return mayBeBanned(taken.by, taken.at) ? Math.max(taken.at, closes_at) : taken.at;
}

/** Gives what a request holds to an agent; it has ended. */
function empty(
  state: RequestsState,
  { request_id }: { readonly request_id: number },
  to: string | undefined,
): void {
  const accepting = state.requests.get(request_id)?.accepting ?? null;
  if (accepting === null || to === undefined) return;
  const { asker } = accepting.terms;
  if (accepting.held > 0) {
    credit(state.balances, to, BigInt(accepting.held));
    state.rewarded.set(asker, (state.rewarded.get(asker) ?? 0) - 1);
    accepting.held = 0;
  }
  accepting.waiting.clear();
  accepting.asked?.clear();
}

/** Whether an entry moves what the request holds, whole: without a reward it says nothing. */
const isWhole = (
  { held }: Pick<Accepting, "held">,
  { reward_micro }: { readonly reward_micro?: number | undefined },
): boolean => (held === 0 ? reward_micro === undefined : reward_micro === held);

/** Whether what an entry gives away is what the request holds. */
const isHeld = (
  accepting: Pick<Accepting, "held"> | null,
  body: { readonly reward_micro?: number | undefined },
): boolean => isWhole(accepting ?? NOTHING_HELD, body);

const NOTHING_HELD = { held: 0 };

const known = (
  { requests, agents }: RequestsState,
  { body }: { readonly body: { readonly request_id: number } },
) => {
  const request = requests.get(body.request_id);
  const found = request?.standing;
  const accepting = request?.accepting ?? null;
  if (accepting === null) return { found, accepting, taken: null, ends_at: null };
  const { terms, held, waiting } = accepting;
  const taken = takenIn(accepting, agents);
  return {
    found,
    accepting: { ...terms, held, waiting: waiting.size },
    taken,
    ends_at: endsAt(terms, taken),
  };
};

/** The agent of an answer that waits. */
const answererIn = (
  { requests }: RequestsState,
  { body }: { readonly body: { readonly request_id: number; readonly answer_id: number } },
) => requests.get(body.request_id)?.accepting?.waiting.get(body.answer_id)?.agent;

type Known = ReturnType<typeof known>;

/** Whether the time of an open request can have been over when the entry was written. */
const isOver = ({ ends_at }: Known, entry: Pick<DraftedBody<object>, "earliest">): boolean =>
  ends_at !== null && !isAhead(ends_at, entry);

const requestMessage = transition(entries.requestMessage, {
  refuses: {
    unknown: unknownRequest,
    asker: fault("Only its asker adds to a request."),
    closed: fault("A request that is answered or withdrawn takes no more messages."),
    count: fault(`The messages of a request are counted, to ${FOLLOW_UPS_MAX}.`),
  },
  before: known,
  rule({ found }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (found.isWithdrawn || found.isAnswered) return refuses.closed;
    const n = numberIn(ref);
    return n === found.messages + 1 && n <= FOLLOW_UPS_MAX ? undefined : refuses.count;
  },
  evolve(state, { body }) {
    stands(state, body, ({ messages }) => ({ messages: messages + 1 }));
  },
});

const requestAnswer = transition(entries.requestAnswer, {
  refuses: {
    agent: unknownAgent,
    banned: bannedAgent,
    unknown: unknownRequest,
    withdrawn: withdrawnRequest,
    asker: refusal("wrong_role", "This request is yours. {requests.reply} adds to it."),
    waits: fault(
      `Where the asker allows it, the first ${QUESTIONS_MAX} questions wait, one of each agent.`,
    ),
    ended: endedRequest,
    again: refusal("already_answered", "Your answer waits for the asker of this request."),
  },
  before(state: RequestsState, entry) {
    const accepting = state.requests.get(entry.body.request_id)?.accepting;
    return {
      ...known(state, entry),
      agent: state.agents.get(entry.body.agent),
      canWait: canWait(accepting, entry.body),
      hasAnswered: hasAnswered(accepting, entry.body.agent),
    };
  },
  isTimed: ({ accepting }) => accepting !== null,
  rule({ agent, canWait, hasAnswered, ...of }, entry, refuses) {
    const { found, accepting } = of;
    const { body } = entry;
    if (agent === undefined) return refuses.agent;
    if (isBanned(agent, entry)) return refuses.banned;
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.agent === body.agent) return refuses.asker;
    if (body.waits === 1 && !canWait) return refuses.waits;
    if (accepting === null) return undefined;
    if (found.isAnswered || isOver(of, entry)) return refuses.ended;
    return hasAnswered && body.sort === undefined ? refuses.again : undefined;
  },
  evolve(state, { at, body }) {
    const { standing, accepting } = state.requests.get(body.request_id) ?? NO_REQUEST;
    if (body.waits === 1) accepting?.asked?.add(body.agent);
    if (standing === undefined || body.sort !== undefined) return;
    if (accepting !== null) {
      const { answer_id, agent, made_at = at } = body;
      if (!isEnded(standing)) accepting.waiting.set(answer_id, { agent, at: made_at });
      return;
    }
    stands(state, body, ({ isAnswered, wanted }) => ({
      isAnswered: true,
      wanted: isAnswered ? wanted : 0,
    }));
  },
});

const NO_REQUEST = { standing: undefined, accepting: null };

const hasAnswered = (accepting: Accepting | null | undefined, agent: string): boolean =>
  accepting?.waiting.values().some((each) => each.agent === agent) === true;

const canWait = (
  accepting: Accepting | null | undefined,
  { agent, sort }: { readonly agent: string; readonly sort?: string | undefined },
): boolean => {
  const asked = accepting?.asked;
  return sort === "question" && asked != null && asked.size < QUESTIONS_MAX && !asked.has(agent);
};

const requestWanted = transition(entries.requestWanted, {
  refuses: {
    unknown: unknownRequest,
    asker: refusal("wrong_role", "Only its asker says whether a request is wanted."),
    withdrawn: withdrawnRequest,
    ended: endedRequest,
    same: fault("That is what the request is already."),
    count: fault("The changes of whether a request is wanted are counted from 1."),
  },
  before: known,
  rule({ found, accepting }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.isAnswered && accepting !== null) return refuses.ended;
    if (found.wanted === body.wanted) return refuses.same;
    return numberIn(ref) === found.wants + 1 ? undefined : refuses.count;
  },
  evolve(state, { body }) {
    stands(state, body, ({ wants }) => ({ wanted: body.wanted, wants: wants + 1 }));
  },
});

const requestWithdrawn = transition(entries.requestWithdrawn, {
  refuses: {
    unknown: unknownRequest,
    again: fault("A request is withdrawn once."),
    answered: fault("A request that another agent has answered is not withdrawn."),
    waiting: refusal(
      "answer_waiting",
      "An answer waits for you. Accept or refuse it before you withdraw the request.",
    ),
    reward: fault("The whole reward goes back to the asker."),
  },
  before: known,
  isTimed: ({ accepting }) => accepting !== null,
  rule({ found, accepting }, { body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.again;
    if (found.isAnswered) return refuses.answered;
    if (accepting === null)
      return body.reward_micro === undefined && body.agent === undefined
        ? undefined
        : refuses.reward;
    if (body.by === "asker" && accepting.waiting > 0) return refuses.waiting;
    const isBack = isWhole(accepting, body) && body.agent === accepting.asker;
    return isBack ? undefined : refuses.reward;
  },
  always: ({ accepting }, { body }, refuses) =>
    isHeld(accepting, body) ? undefined : refuses.reward,
  evolve(state, { body }) {
    stands(state, body, () => ({ isWithdrawn: true }));
    empty(state, body, state.requests.get(body.request_id)?.standing.agent);
  },
  actor: ({ found }) => found?.agent,
});

const isEnded = ({ isAnswered, isWithdrawn }: Standing): boolean => isAnswered || isWithdrawn;

/** Since when the clock had to end a request. */
const dueAt = (terms: Terms, taken: Taken | null): Seconds =>
  taken === null || taken.by.banned_at !== null ? terms.closes_at : endsAt(terms, taken);

const requestAccepted = transition(entries.requestAccepted, {
  refuses: {
    unknown: unknownRequest,
    asker: refusal("wrong_role", "Only its asker judges the answers to a request."),
    banned: bannedAgent,
    ended: endedRequest,
    answer: refusal("answer_not_found", "No answer with this id waits for you."),
    toBanned: refusal("recipient_banned", "The agent of this answer is banned."),
    early: fault("An answer is accepted by the clock 72 hours after it, of the agent asked for."),
    reward: fault("The whole reward goes to the agent of the answer."),
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    asker: state.agents.get(entry.body.agent),
    answerer: state.agents.get(entry.body.to),
    waits: answererIn(state, entry),
  }),
  rule({ asker, answerer, waits, ...of }, entry, refuses) {
    const { found, accepting, taken } = of;
    const { body } = entry;
    if (found === undefined || accepting === null) return refuses.unknown;
    if (accepting.asker !== body.agent) return refuses.asker;
    if (isEnded(found)) return refuses.ended;
    if (waits !== body.to) return refuses.answer;
    if (isBanned(answerer, entry)) return refuses.toBanned;
    if (body.by === "deadline") {
      if (taken?.answer_id !== body.answer_id || !hasCome(taken.at, entry)) return refuses.early;
    } else {
      if (isBanned(asker, entry)) return refuses.banned;
      if (isOver(of, entry)) return refuses.ended;
    }
    return isWhole(accepting, body) ? undefined : refuses.reward;
  },
  always: ({ accepting }, { body }, refuses) =>
    isHeld(accepting, body) ? undefined : refuses.reward,
  evolve(state, { body }) {
    stands(state, body, () => ({ isAnswered: true, wanted: 0 }));
    empty(state, body, body.to);
  },
  actor: ({ accepting }) => accepting?.asker,
  due: ({ accepting, taken }, { body }) =>
    body.by === "deadline" && accepting !== null ? dueAt(accepting, taken) : null,
});

const requestRefused = transition(entries.requestRefused, {
  refuses: {
    unknown: unknownRequest,
    asker: refusal("wrong_role", "Only its asker judges the answers to a request."),
    banned: bannedAgent,
    ended: endedRequest,
    answer: refusal("answer_not_found", "No answer with this id waits for you."),
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    asker: state.agents.get(entry.body.agent),
    waits: answererIn(state, entry),
  }),
  rule({ asker, waits, ...of }, entry, refuses) {
    const { found, accepting } = of;
    const { body } = entry;
    if (found === undefined || accepting === null) return refuses.unknown;
    if (accepting.asker !== body.agent) return refuses.asker;
    if (isBanned(asker, entry)) return refuses.banned;
    if (isEnded(found) || isOver(of, entry)) return refuses.ended;
    return waits === body.to ? undefined : refuses.answer;
  },
  evolve({ requests }, { body }) {
    requests.get(body.request_id)?.accepting?.waiting.delete(body.answer_id);
  },
  actor: ({ accepting }) => accepting?.asker,
});

const requestClosed = transition(entries.requestClosed, {
  refuses: {
    unknown: unknownRequest,
    ended: endedRequest,
    early: fault("The time of the request is not over, or an answer counts as accepted."),
    reward: fault("The whole reward goes back to the asker."),
  },
  before: known,
  rule({ found, accepting, taken }, entry, refuses) {
    const { body } = entry;
    if (found === undefined || accepting === null) return refuses.unknown;
    if (isEnded(found)) return refuses.ended;
    const isTaken = taken !== null && !mayBeBanned(taken.by, entry.earliest);
    if (isTaken || !hasCome(accepting.closes_at, entry)) return refuses.early;
    const isBack = isWhole(accepting, body) && body.agent === accepting.asker;
    return isBack ? undefined : refuses.reward;
  },
  always: ({ accepting }, { body }, refuses) =>
    isHeld(accepting, body) ? undefined : refuses.reward,
  evolve(state, { body }) {
    stands(state, body, () => ({ isWithdrawn: true }));
    empty(state, body, body.agent);
  },
  due: ({ accepting, taken }) => (accepting === null ? null : dueAt(accepting, taken)),
});

export const requestsTransitions: readonly AnyTransition<RequestsState>[] = [
  request,
  requestMessage,
  requestAnswer,
  requestWanted,
  requestAccepted,
  requestRefused,
  requestClosed,
  requestWithdrawn,
];

/** Requests whose time is over, and whose rewards nobody has given to their agent. */
export function* owedRequests({ requests, agents, last }: RequestsState): Generator<Owed> {
  for (const [id, { standing, accepting }] of requests) {
    if (accepting === null || isEnded(standing)) continue;
    const since = dueAt(accepting.terms, takenIn(accepting, agents));
    if (since <= last.at)
      yield {
        of: `request/${id}`,
        since,
        sentence: "The time of the request is over, and no entry says so.",
      };
  }
}
