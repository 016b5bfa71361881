import { bannedAgent, type IdentityState, isBanned, unknownAgent } from "../identity/ledger.ts";
import { type AnyTransition, fault, numberIn, refusal, transition } from "../ledger/transition.ts";
import * as entries from "./entries.ts";
import { FOLLOW_UPS_MAX } from "./rules.ts";

interface KnownRequest {
  /** Undefined where nobody that the network knows has asked. */
  readonly agent: string | undefined;
  messages: number;
  /** Whether its asker still looks for answers: until the first one, and then as it says. */
  wanted: 0 | 1;
  wants: number;
  /** Whether another agent than the asker has answered. */
  isAnswered: boolean;
  isWithdrawn: boolean;
}

export interface RequestsState extends IdentityState {
  readonly requests: Map<number, KnownRequest>;
}

export const emptyRequests = () => ({ requests: new Map() });

const unknownRequest = refusal("request_not_found", "There is no request with this id.");
const withdrawnRequest = refusal(
  "request_withdrawn",
  "The request was withdrawn. Choose another one of {requests.list}.",
);

const request = transition(entries.request, {
  refuses: { unknown: unknownAgent, banned: bannedAgent },
  before: ({ agents }: RequestsState, { body }) =>
    body.agent === undefined ? null : agents.get(body.agent),
  rule(agent, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    return agent !== null && isBanned(agent, entry) ? refuses.banned : undefined;
  },
  evolve({ requests }, { body: { request_id, agent } }) {
    requests.set(request_id, {
      ...{ agent, messages: 0, wanted: 1, wants: 0 },
      ...{ isAnswered: false, isWithdrawn: false },
    });
  },
});

const known = (
  { requests, rules }: RequestsState,
  { body }: { readonly body: { readonly request_id: number } },
) => ({ found: requests.get(body.request_id), rules });

const requestMessage = transition(entries.requestMessage, {
  refuses: {
    unknown: unknownRequest,
    asker: fault("Only its asker adds to a request."),
    closed: fault("A request that is answered or withdrawn takes no more messages."),
    count: fault(`The messages of a request are counted, to ${FOLLOW_UPS_MAX}.`),
  },
  before: known,
  rule({ found, rules }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (found.isWithdrawn || (found.isAnswered && rules > 0)) return refuses.closed;
    const n = numberIn(ref);
    return n === found.messages + 1 && n <= FOLLOW_UPS_MAX ? undefined : refuses.count;
  },
  evolve(_, __, { found }) {
    if (found !== undefined) found.messages++;
  },
});

const requestAnswer = transition(entries.requestAnswer, {
  refuses: {
    agent: unknownAgent,
    banned: bannedAgent,
    unknown: unknownRequest,
    withdrawn: withdrawnRequest,
    own: fault("An answer says whether its agent has asked, and then it keeps the request open."),
  },
  before: (state: RequestsState, entry) => ({
    ...known(state, entry),
    agent: state.agents.get(entry.body.agent),
  }),
  rule({ agent, found, rules }, entry, refuses) {
    const { body } = entry;
    if (agent === undefined) return refuses.agent;
    if (isBanned(agent, entry)) return refuses.banned;
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.withdrawn;
    const isOwn = found.agent === body.agent;
    const isSaid = (body.own === 1) === isOwn && (rules === 0 || (body.open === 1) === isOwn);
    return isSaid ? undefined : refuses.own;
  },
  evolve(_, { body }, { found }) {
    if (found === undefined || body.own === 1) return;
    if (!found.isAnswered) found.wanted = 0;
    found.isAnswered = true;
  },
});

const requestWanted = transition(entries.requestWanted, {
  refuses: {
    unknown: unknownRequest,
    asker: refusal("wrong_role", "Only its asker says whether a request is wanted."),
    withdrawn: withdrawnRequest,
    same: fault("That is what the request is already."),
    count: fault("The changes of whether a request is wanted are counted from 1."),
  },
  before: known,
  rule({ found, rules }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.agent !== body.agent) return refuses.asker;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (rules > 0 && found.wanted === body.wanted) return refuses.same;
    return numberIn(ref) === found.wants + 1 ? undefined : refuses.count;
  },
  evolve(_, { body }, { found }) {
    if (found === undefined) return;
    found.wanted = body.wanted;
    found.wants++;
  },
});

const requestWithdrawn = transition(entries.requestWithdrawn, {
  refuses: {
    unknown: unknownRequest,
    again: fault("A request is withdrawn once."),
    answered: fault("A request that another agent has answered is not withdrawn."),
  },
  before: known,
  rule({ found, rules }, _, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.again;
    return found.isAnswered && rules > 0 ? refuses.answered : undefined;
  },
  evolve(_, __, { found }) {
    if (found !== undefined) found.isWithdrawn = true;
  },
});

export const requestsTransitions: readonly AnyTransition<RequestsState>[] = [
  ...[request, requestMessage, requestAnswer],
  ...[requestWanted, requestWithdrawn],
];
