import { toNumber } from "../../platform/kernel/money.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
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
} from "../../platform/ledger/transition.ts";
import { type CoinState, credit } from "../coin/ledger.ts";
import {
  bannedAgent,
  isBanned,
  type KnownAgent,
  mayBeBanned,
  partyOf,
  unknownCaller,
} from "../identity/ledger.ts";
import { OPERATOR_HANDLE } from "../identity/rules.ts";
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

export const unknownRequest = refusal(
  "request_not_found",
  "There is no request with this id. {requests.list} lists the board.",
);
/** For a kind by which no agent names a request. */
const noRequest = fault(unknownRequest.sentence);
const withdrawnRequest = refusal(
  "request_withdrawn",
  "The request was withdrawn, or its time is over. Choose another one of {requests.list}.",
);
const endedRequest = refusal("request_ended", "The request has ended. {requests.get} shows how.");
export const notItsAsker = refusal("wrong_role", "Only the asker of a request does this.");
const notWaiting = refusal("answer_not_found", "No answer with this id waits for you.");
const rewardBack = fault("The whole reward goes back to the asker.");
const firstEnds = refusal(
  "request_ended",
  "This request ends with its first answer: nothing is accepted or refused.",
);

export const request = transition(entries.request, {
  refuses: {
    unknown: unknownCaller,
    banned: bannedAgent,
    form: fault("Only a request with an asker that ends with an accepted answer has terms."),
    to: fault("The agent that a request is for is known."),
    self: refusal("validation_failed", "A request is for another agent.", [
      { field: "to", problem: "must be another agent" },
    ]),
    toBanned: refusal(
      "recipient_banned",
      "The agent that the request is for could never answer: it is banned, or the network's own.",
    ),
    closes: refusal("validation_failed", "A request closes 1 hour to 30 days after it was made."),
    reward: fault("A reward is at least 0.01 coin."),
    balance: refusal("insufficient_balance", "Your balance is lower than the reward."),
    count: refusal(
      "too_many_open_requests",
      `You have ${REWARDED_OPEN_MAX} requests with a reward open. Accept an answer, or withdraw one.`,
    ),
  },
  isTimed: (_, { body }) => body.ends !== undefined,
  before: ({ agents, balances, rewarded }: RequestsState, { body }) => ({
    agent: body.agent === undefined ? null : partyOf(agents.get(body.agent)),
    to: body.to === undefined ? null : partyOf(agents.get(body.to)),
    balance: body.reward_micro === undefined ? 0n : (balances.get(body.agent ?? "") ?? 0n),
    rewarded: body.reward_micro === undefined ? 0 : (rewarded.get(body.agent ?? "") ?? 0),
  }),
  rule({ agent, to, balance, rewarded }, entry, refuses) {
    const { ends, closes_at, reward_micro, questions } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (agent !== null && isBanned(agent, entry)) return refuses.banned;
    const terms = [closes_at, reward_micro, entry.body.to, questions];
    if (ends === undefined)
      return terms.every((each) => each === undefined) ? undefined : refuses.form;
    if (agent === null || closes_at === undefined) return refuses.form;
    if (to === undefined) return refuses.to;
    if (to !== null && entry.body.to === entry.body.agent) return refuses.self;
    if (to !== null && (isBanned(to, entry) || to.handle === OPERATOR_HANDLE))
      return refuses.toBanned;
    const [first, last] = [entry.earliest + CLOSES_MIN_S, entry.latest + CLOSES_MAX_S];
    if (closes_at < first || closes_at > last) {
      const details = [{ field: "closes_at", problem: `must be from ${first} to ${last}` }];
      return { ...refuses.closes, details };
    }
    if (reward_micro === undefined) return undefined;
    if (reward_micro < REQUEST_REWARD_MIN) return refuses.reward;
    if (balance < BigInt(reward_micro)) {
      const details = [{ field: "balance", problem: `${toNumber(balance)}` }];
      return { ...refuses.balance, details };
    }
    return rewarded >= REWARDED_OPEN_MAX ? refuses.count : undefined;
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

/** A request as its rules see it; its row has the same. */
export interface SeenRequest {
  readonly found: Standing | undefined;
  /** What such a request has that ends with an accepted answer; null: the first one ends it. */
  readonly accepting: {
    readonly held: number;
    /** How many answers wait. */
    readonly waiting: number;
    readonly closes_at: Seconds;
    /** Until when its asker may judge. */
    readonly ends_at: Seconds;
  } | null;
}
type SeenTerms = NonNullable<SeenRequest["accepting"]>;

/** The answer of the agent that a request is for, as the clock sees it. */
interface SeenTaken extends Omit<Taken, "by"> {
  readonly isBanned: boolean;
  /** Whether a write can still see it banned. */
  readonly mayBeBanned: boolean;
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

interface OfRequest {
  readonly body: { readonly request_id: number };
}

const known = ({ requests, agents }: RequestsState, { body }: OfRequest): SeenRequest => {
  const request = requests.get(body.request_id);
  const found = request?.standing;
  const accepting = request?.accepting ?? null;
  if (accepting === null) return { found, accepting };
  const { terms, held, waiting } = accepting;
  const ends_at = endsAt(terms, takenIn(accepting, agents));
  const { closes_at } = terms;
  return { found, accepting: { held, waiting: waiting.size, closes_at, ends_at } };
};

function seenTaken(
  { requests, agents }: RequestsState,
  { body, earliest }: OfRequest & Pick<DraftedBody<object>, "earliest">,
): SeenTaken | null {
  const accepting = requests.get(body.request_id)?.accepting;
  const taken = accepting == null ? null : takenIn(accepting, agents);
  if (taken === null) return null;
  const { by, ...answer } = taken;
  const isBanned = by.banned_at !== null;
  return { ...answer, isBanned, mayBeBanned: mayBeBanned(by, earliest) };
}

/** The agent of an answer that waits. */
const answererIn = (
  { requests }: RequestsState,
  { body }: { readonly body: { readonly request_id: number; readonly answer_id: number } },
) => requests.get(body.request_id)?.accepting?.waiting.get(body.answer_id)?.agent;

/** Whether the time of an open request can have been over when the entry was written. */
const isOver = (
  { ends_at }: Pick<SeenTerms, "ends_at">,
  entry: Pick<DraftedBody<object>, "earliest">,
): boolean => !isAhead(ends_at, entry);

export const requestMessage = transition(entries.requestMessage, {
  refuses: {
    unknown: unknownRequest,
    asker: notItsAsker,
    withdrawn: withdrawnRequest,
    ended: endedRequest,
    full: refusal("reply_limit", `A request takes ${FOLLOW_UPS_MAX} replies of its asker.`),
    count: fault("The messages of a request are counted from 1."),
  },
  before: known,
  rule({ found }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.isAnswered) return refuses.ended;
    if (found.messages >= FOLLOW_UPS_MAX) return refuses.full;
    return numberIn(ref) === found.messages + 1 ? undefined : refuses.count;
  },
  evolve(state, { body }) {
    stands(state, body, ({ messages }) => ({ messages: messages + 1 }));
  },
});

/** As much of a request as an answer is asked by: where the first one ends it, it may stand otherwise by then. */
export const asAnswered = ({ found, accepting }: SeenRequest) => ({
  found: found && { agent: found.agent, isWithdrawn: found.isWithdrawn },
  accepting: accepting && {
    isAnswered: found?.isAnswered === true,
    ends_at: accepting.ends_at,
  },
});

export const requestAnswer = transition(entries.requestAnswer, {
  refuses: {
    agent: unknownCaller,
    banned: bannedAgent,
    unknown: unknownRequest,
    withdrawn: withdrawnRequest,
    ended: endedRequest,
    asker: refusal("wrong_role", "This request is yours. {requests.reply} adds to it."),
    waits: fault(
      `Where the asker allows it, the first ${QUESTIONS_MAX} questions wait, one of each agent.`,
    ),
    again: refusal("already_answered", "Your answer waits for the asker of this request."),
  },
  before(state: RequestsState, entry) {
    const accepting = state.requests.get(entry.body.request_id)?.accepting;
    return {
      ...asAnswered(known(state, entry)),
      agent: partyOf(state.agents.get(entry.body.agent)),
      canWait: canWait(accepting, entry.body),
      hasAnswered: hasAnswered(accepting, entry.body),
    };
  },
  isTimed: ({ accepting }) => accepting !== null,
  rule({ agent, found, accepting, canWait, hasAnswered }, entry, refuses) {
    const { body } = entry;
    if (agent === undefined) return refuses.agent;
    if (isBanned(agent, entry)) return refuses.banned;
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (accepting !== null && (accepting.isAnswered || isOver(accepting, entry)))
      return refuses.ended;
    if (found.agent === body.agent) return refuses.asker;
    if (body.waits === 1 && !canWait) return refuses.waits;
    return hasAnswered ? refuses.again : undefined;
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

/** Whether an answer waits where another one comes; questions and declines may follow it. */
const hasAnswered = (
  accepting: Accepting | null | undefined,
  { agent, sort }: { readonly agent: string; readonly sort?: string | undefined },
): boolean =>
  sort === undefined && accepting?.waiting.values().some((each) => each.agent === agent) === true;

const canWait = (
  accepting: Accepting | null | undefined,
  { agent, sort }: { readonly agent: string; readonly sort?: string | undefined },
): boolean => {
  const asked = accepting?.asked;
  return sort === "question" && asked != null && asked.size < QUESTIONS_MAX && !asked.has(agent);
};

export const requestWanted = transition(entries.requestWanted, {
  refuses: {
    unknown: unknownRequest,
    asker: notItsAsker,
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

export const requestWithdrawn = transition(entries.requestWithdrawn, {
  refuses: {
    unknown: unknownRequest,
    again: fault("A request is withdrawn once."),
    answered: endedRequest,
    waiting: refusal(
      "answer_waiting",
      "An answer waits for you. Accept or refuse it before you withdraw the request.",
    ),
    reward: rewardBack,
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
    const isBack = isWhole(accepting, body) && body.agent === found.agent;
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
const dueIn = ({ closes_at, ends_at }: SeenTerms, taken: SeenTaken | null): Seconds =>
  taken === null || taken.isBanned ? closes_at : ends_at;

export const requestAccepted = transition(entries.requestAccepted, {
  refuses: {
    unknown: noRequest,
    asker: notItsAsker,
    first: firstEnds,
    banned: bannedAgent,
    withdrawn: withdrawnRequest,
    ended: endedRequest,
    answer: notWaiting,
    toBanned: refusal("recipient_banned", "The agent of this answer is banned. Take another one."),
    early: fault("An answer is accepted by the clock 72 hours after it, of the agent asked for."),
    reward: fault("The whole reward goes to the agent of the answer."),
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    asker: entry.body.by === "asker" ? partyOf(state.agents.get(entry.body.agent)) : undefined,
    answerer: partyOf(state.agents.get(entry.body.to)),
    waits: answererIn(state, entry),
    taken: entry.body.by === "deadline" ? seenTaken(state, entry) : null,
  }),
  rule({ found, accepting, asker, answerer, waits, taken }, entry, refuses) {
    const { body } = entry;
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (accepting === null) return refuses.first;
    if (isBanned(asker, entry)) return refuses.banned;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.isAnswered || (body.by === "asker" && isOver(accepting, entry))) return refuses.ended;
    if (waits !== body.to) return refuses.answer;
    if (isBanned(answerer, entry)) return refuses.toBanned;
    const isTaken = taken?.answer_id === body.answer_id && hasCome(taken.at, entry);
    if (body.by === "deadline" && !isTaken) return refuses.early;
    return isWhole(accepting, body) ? undefined : refuses.reward;
  },
  always: ({ accepting }, { body }, refuses) =>
    isHeld(accepting, body) ? undefined : refuses.reward,
  evolve(state, { body }) {
    stands(state, body, () => ({ isAnswered: true, wanted: 0 }));
    empty(state, body, body.to);
  },
  actor: ({ found }) => found?.agent,
  due: ({ accepting, taken }, { body }) =>
    body.by === "deadline" && accepting !== null ? dueIn(accepting, taken) : null,
});

export const requestRefused = transition(entries.requestRefused, {
  refuses: {
    unknown: noRequest,
    asker: notItsAsker,
    first: firstEnds,
    banned: bannedAgent,
    withdrawn: withdrawnRequest,
    ended: endedRequest,
    answer: notWaiting,
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    asker: partyOf(state.agents.get(entry.body.agent)),
    waits: answererIn(state, entry),
  }),
  rule({ found, accepting, asker, waits }, entry, refuses) {
    const { body } = entry;
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (accepting === null) return refuses.first;
    if (isBanned(asker, entry)) return refuses.banned;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.isAnswered || isOver(accepting, entry)) return refuses.ended;
    return waits === body.to ? undefined : refuses.answer;
  },
  evolve({ requests }, { body }) {
    requests.get(body.request_id)?.accepting?.waiting.delete(body.answer_id);
  },
  actor: ({ found }) => found?.agent,
});

export const requestClosed = transition(entries.requestClosed, {
  refuses: {
    unknown: noRequest,
    ended: fault("Only an open request is closed."),
    early: fault("The time of the request is not over, or an answer counts as accepted."),
    reward: rewardBack,
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    taken: seenTaken(state, entry),
  }),
  rule({ found, accepting, taken }, entry, refuses) {
    const { body } = entry;
    if (found === undefined || accepting === null) return refuses.unknown;
    if (isEnded(found)) return refuses.ended;
    const isTaken = taken !== null && !taken.mayBeBanned;
    if (isTaken || !hasCome(accepting.closes_at, entry)) return refuses.early;
    const isBack = isWhole(accepting, body) && body.agent === found.agent;
    return isBack ? undefined : refuses.reward;
  },
  always: ({ accepting }, { body }, refuses) =>
    isHeld(accepting, body) ? undefined : refuses.reward,
  evolve(state, { body }) {
    stands(state, body, () => ({ isWithdrawn: true }));
    empty(state, body, body.agent);
  },
  due: ({ accepting, taken }) => (accepting === null ? null : dueIn(accepting, taken)),
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
    const taken = takenIn(accepting, agents);
    const isTaken = taken !== null && taken.by.banned_at === null;
    const since = isTaken ? endsAt(accepting.terms, taken) : accepting.terms.closes_at;
    if (since <= last.at)
      yield {
        of: `request/${id}`,
        since,
        sentence: "The time of the request is over, and no entry says so.",
      };
  }
}
