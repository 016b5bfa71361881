import type { Seconds } from "../../platform/kernel/time.ts";
import { didAct } from "../../platform/ledger/acts.ts";
import { isAnnounced } from "../../platform/ledger/ledger.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import {
  type AnyTransition,
  fault,
  isAhead,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import type { CoinState } from "../coin/ledger.ts";
import { bannedAgent, isBanned, partyOf, unknownAgent, unknownCaller } from "../identity/ledger.ts";
import { OPERATOR_HANDLE } from "../identity/rules.ts";
import * as entries from "./entries.ts";
import { type ClaimKind, duesOf, RESOLVE_AHEAD_MAX_S, RESOLVE_AHEAD_MIN_S } from "./rules.ts";
import { weekOf } from "./weeks.ts";

/** A claim as its entry has it. */
interface JudgedClaim {
  readonly agent: string;
  readonly kind: ClaimKind;
  readonly resolve_by: Seconds | undefined;
}

interface KnownClaim {
  readonly claim: JudgedClaim;
  /** The agents that have judged it. */
  readonly judges: Set<string>;
  /** Whether another agent than its author has. */
  isJudged: boolean;
}

export interface ClaimsState extends CoinState {
  readonly claims: Map<number, KnownClaim>;
  /** The network's own claims whose week has no name yet. */
  readonly unopened: Set<number>;
}

export const emptyClaims = () => ({
  claims: new Map<number, KnownClaim>(),
  unopened: new Set<number>(),
});

export const unknownClaim = refusal(
  "claim_not_found",
  "There is no claim with this id. {claims.list} lists them.",
);

const claim = transition(entries.claim, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    network: fault("The question of a week is the network's own claim."),
    near: fault("A claim is resolved at least a minute and at most 100 years after it was made."),
    challenge: fault("A challenge has a time, and it alone is about an agent."),
    about: fault("A challenge is about an agent that there is."),
  },
  isTimed: (_, { body }) => body.resolve_by !== undefined,
  before: ({ agents }: ClaimsState, { body }) => ({
    agent: agents.get(body.agent),
    isAbout: body.about === undefined || agents.has(body.about),
  }),
  rule({ agent, isAbout }, entry, refuses) {
    const { claim_kind, resolve_by, about } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isAbout) return refuses.about;
    if (claim_kind === "quorum")
      return agent.handle === OPERATOR_HANDLE && resolve_by !== undefined
        ? undefined
        : refuses.network;
    const isChallenge = claim_kind === "challenge";
    if ((isChallenge && resolve_by === undefined) || (!isChallenge && about !== undefined))
      return refuses.challenge;
    const isNear =
      resolve_by !== undefined &&
      (resolve_by < entry.earliest + RESOLVE_AHEAD_MIN_S ||
        resolve_by > entry.latest + RESOLVE_AHEAD_MAX_S);
    return isNear ? refuses.near : undefined;
  },
  evolve({ claims, unopened }, { body: { claim_id, agent, claim_kind: kind, resolve_by } }) {
    claims.set(claim_id, {
      claim: { agent, kind, resolve_by },
      judges: new Set(),
      isJudged: false,
    });
    if (kind === "quorum") unopened.add(claim_id);
  },
});

export const verdict = transition(entries.verdict, {
  refuses: {
    unknown: unknownCaller,
    banned: bannedAgent,
    claim: unknownClaim,
    again: refusal("already_judged", "You have judged this claim already; a verdict is final."),
    own: fault("A verdict says whether its agent has made the claim."),
    closed: refusal(
      "quorum_closed",
      "The week of this question is over. {claims.quorum} has the next.",
    ),
  },
  isTimed: ({ found }) => found?.kind === "quorum",
  before: ({ claims, agents }: ClaimsState, { body }) => ({
    agent: partyOf(agents.get(body.agent)),
    found: claims.get(body.claim_id)?.claim,
    hasJudged: claims.get(body.claim_id)?.judges.has(body.agent) === true,
  }),
  rule({ agent, found, hasJudged }, entry, refuses) {
    const { agent: judge, own } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (found === undefined) return refuses.claim;
    const isOpen = found.kind !== "quorum" || isAhead(found.resolve_by ?? 0, entry);
    if (!isOpen) return refuses.closed;
    if (hasJudged) return refuses.again;
    return (own === 1) === (found.agent === judge) ? undefined : refuses.own;
  },
  evolve(state, { at, body }) {
    const { claim_id, verdict_id: id, agent, evidence_sha256: evidence = null } = body;
    const found = state.claims.get(claim_id);
    if (found === undefined) return;
    const { kind, agent: author } = found.claim;
    const own = body.own === 1;
    const isFirst = !found.isJudged;
    found.judges.add(agent);
    if (!own) found.isJudged = true;
    const dues = duesOf({ id: claim_id, kind }, { id, own, evidence, isFirst });
    if (dues.author.refusal === null) didAct(state, at, author, dues.author.source);
    if (dues.judge.refusal === null) didAct(state, at, agent, dues.judge.source);
  },
});

const quorumOpened = transition(entries.quorumOpened, {
  refuses: {
    claim: fault("A week is opened with the network's own claim, in the same write."),
    week: fault("A question is that of the week in which it was asked, from Monday to Monday."),
  },
  before: ({ claims, unopened }: ClaimsState, { body }) => ({
    found: unopened.has(body.claim_id) ? claims.get(body.claim_id)?.claim : undefined,
  }),
  rule({ found }, entry, refuses) {
    const { week, opens_at, closes_at } = entry.body;
    if (found?.resolve_by !== closes_at) return refuses.claim;
    const isWeek = [entry.earliest, entry.latest].some((at) => {
      const now = weekOf(at);
      return now.name === week && now.opens_at === opens_at && now.closes_at === closes_at;
    });
    return isWeek ? undefined : refuses.week;
  },
  evolve({ unopened }, { body }) {
    unopened.delete(body.claim_id);
  },
});

export const proposalAccepted = transition(entries.proposalAccepted, {
  refuses: {
    claim: fault("Only a proposal is accepted, and its author is honoured."),
    announced: fault(
      "The acceptance of a proposal is announced before it, by the newest announcement, which says so.",
    ),
    recognised: fault("An accepted proposal is recognised before it, with the same days."),
  },
  before: ({ claims, announced, recognitions }: ClaimsState, { body }) => ({
    found: claims.get(body.claim_id)?.claim,
    granted: recognitions.get(body.recognition_id),
    announced,
  }),
  rule({ found, granted, announced }, { body }, refuses) {
    if (found?.kind !== "proposal" || found.agent !== body.agent) return refuses.claim;
    if (!isAnnounced(announced, body.announcement_id, "proposal_accepted"))
      return refuses.announced;
    const isGranted =
      granted?.agent === body.agent &&
      granted.days === body.days &&
      granted.source === `claim/${body.claim_id}`;
    return isGranted ? undefined : refuses.recognised;
  },
  evolve(state, { body }) {
    state.announced = null;
    state.recognitions.delete(body.recognition_id);
  },
});

export const claimsTransitions: readonly AnyTransition<ClaimsState>[] = [
  claim,
  verdict,
  quorumOpened,
  proposalAccepted,
];

/** Questions of the network without their week. */
export function* owedClaims({ unopened }: ClaimsState): Generator<Owed> {
  for (const id of unopened)
    yield { of: `claim/${id}`, since: null, sentence: "A question has no week." };
}
