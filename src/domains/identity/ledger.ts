import { isHandle } from "../../platform/kernel/contract/handles.ts";
import { isKeyedId } from "../../platform/kernel/proof/agent-id.ts";
import { MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import { isAnnounced, type LedgerState } from "../../platform/ledger/ledger.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import {
  type AnyTransition,
  BINDS_AFTER_S,
  become,
  type Drafted,
  fault,
  isBound,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import * as entries from "./entries.ts";
import type { KnownKey } from "./keys/act-rule.ts";
import { OPERATOR_HANDLE, PAUSE_MINUTES_MAX, RECOGNITION_DAYS_MAX } from "./rules.ts";

/** An agent, as far as rules ask for it. */
export interface KnownAgent {
  /** Agents are counted from 1. */
  readonly n: number;
  readonly handle: string | null;
  /** When the ban in force got its place; null while there is none. */
  readonly banned_at: Seconds | null;
  readonly bans: number;
  /** When the newest ban that is over got its end; null while there is none. */
  readonly unbanned_at: Seconds | null;
  readonly own: 0 | 1;
  readonly ownChanges: number;
  readonly profiles: number;
}

/**
 * A pause of registrations.
 * @public The types of the rules name it.
 */
export interface Pause {
  readonly id: number;
  readonly ends_at: Seconds;
  readonly isResumed: boolean;
}

/** An agent as most rules see it. */
export type Party = Pick<KnownAgent, "handle" | "banned_at">;

/** The same of a row, or of a known agent. */
export const partyIn = ({ handle, banned_at }: Party): Party => ({ handle, banned_at });

export const partyOf = (agent: KnownAgent | undefined): Party | undefined =>
  agent && partyIn(agent);

/** The caller of an operation: its token is one of an agent that is not banned. */
export const callerOf = ({ handle }: Pick<Party, "handle">): Party => ({ handle, banned_at: null });

export interface IdentityState extends LedgerState {
  readonly agents: Map<string, KnownAgent>;
  readonly handles: Set<string>;
  /** The newest one. */
  pause: Pause | null;
  /** When it was placed in the ledger: from then on it binds. Null while there was none. */
  paused_at: Seconds | null;
  /** Granted for a proposal or a quest, and not yet named by the entry of what they were granted for. */
  readonly recognitions: Map<number, Granted>;
  /** Act keys in force, by agent. */
  readonly keys: Map<string, KnownKey>;
  /** Agents whose id follows from a key that has no place in the ledger yet, and since when. */
  readonly unkeyed: Map<string, Seconds>;
}

/** Recognition days that an entry has to follow. */
export interface Granted {
  readonly agent: string;
  readonly days: number;
  readonly source: string;
}

export const emptyIdentity = () => ({
  agents: new Map<string, KnownAgent>(),
  handles: new Set<string>(),
  pause: null,
  paused_at: null,
  recognitions: new Map<number, Granted>(),
  keys: new Map<string, KnownKey>(),
  unkeyed: new Map<string, Seconds>(),
});

/** Whether a ban binds an entry of this agent for certain. */
export const isBanned = (
  agent: Pick<KnownAgent, "banned_at"> | undefined,
  entry: Pick<Drafted, "earliest" | "binds_after_s">,
): boolean => agent !== undefined && isBound(agent.banned_at, entry);

/** Whether an agent is banned, or a write that was made from this second on can have seen it banned. */
export const mayBeBanned = (
  { banned_at, unbanned_at }: Pick<KnownAgent, "banned_at" | "unbanned_at">,
  since: Seconds,
): boolean => banned_at !== null || (unbanned_at !== null && unbanned_at + BINDS_AFTER_S > since);

const known = (
  { agents }: IdentityState,
  { body }: { readonly body: { readonly agent: string } },
) => agents.get(body.agent);

/** What every kind can say that names an agent. */
export const unknownAgent = refusal("agent_not_found", "There is no agent with this id.");
/** The same of the agent whose act it is: no caller is unknown. */
export const unknownCaller = fault(unknownAgent.sentence);
export const bannedAgent = refusal("agent_banned", "This agent is banned. Public reads stay open.");

const takenHandle = refusal(
  "handle_taken",
  "This handle is taken. Choose another, or go on without one.",
);
export const pausedRegistrations = refusal(
  "rate_limited",
  "The operator lets nobody register for now.",
);
const badHandle = fault(
  "A handle is 2 to 32 of a-z, 0-9 and -, and none that passes for the network's.",
);

export const agent = transition(entries.agent, {
  refuses: {
    again: refusal(
      "key_pending",
      "An agent registers once, and so does a key. Take a new key for another agent.",
    ),
    form: badHandle,
    taken: takenHandle,
    paused: pausedRegistrations,
  },
  before: ({ agents, handles, pause, paused_at }: IdentityState, { body }) => ({
    isNew: !agents.has(body.agent),
    isFree: body.handle === undefined || !handles.has(body.handle),
    pause,
    paused_at,
  }),
  rule({ isNew, isFree, pause, paused_at }, entry, refuses) {
    if (!isNew) return refuses.again;
    const { handle = OPERATOR_HANDLE } = entry.body;
    if (handle !== OPERATOR_HANDLE && !isHandle(handle)) return refuses.form;
    if (!isFree) return refuses.taken;
    const isPaused =
      pause !== null &&
      !pause.isResumed &&
      isBound(paused_at, entry) &&
      entry.latest < pause.ends_at;
    return isPaused && entry.body.handle !== OPERATOR_HANDLE ? refuses.paused : undefined;
  },
  evolve({ agents, handles, unkeyed }, { at, body }) {
    if (isKeyedId(body.agent)) unkeyed.set(body.agent, at);
    const handle = body.handle ?? null;
    if (handle !== null) handles.add(handle);
    agents.set(body.agent, {
      n: agents.get(body.agent)?.n ?? agents.size + 1,
      handle,
      banned_at: null,
      bans: 0,
      unbanned_at: null,
      own: 0,
      ownChanges: 0,
      profiles: 0,
    });
  },
});

export const handle = transition(entries.handle, {
  refuses: {
    unknown: unknownCaller,
    set: refusal("handle_set_already", "You have a handle, and it is for good."),
    form: badHandle,
    taken: takenHandle,
    banned: bannedAgent,
  },
  before: (state: IdentityState, entry) => ({
    agent: partyOf(known(state, entry)),
    isFree: !state.handles.has(entry.body.handle),
  }),
  rule({ agent, isFree }, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (agent.handle !== null) return refuses.set;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isHandle(entry.body.handle ?? "")) return refuses.form;
    return isFree ? undefined : refuses.taken;
  },
  evolve({ agents, handles }, { body: { agent, handle } }) {
    handles.add(handle);
    become(agents, agent, (was) => ({ ...was, handle }));
  },
});

const profile = transition(entries.profile, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    count: fault("An agent's profiles are counted from 1."),
  },
  before: known,
  rule(agent, entry, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    return numberIn(entry.ref) === agent.profiles + 1 ? undefined : refuses.count;
  },
  evolve({ agents }, { body }) {
    become(agents, body.agent, (was) => ({ ...was, profiles: was.profiles + 1 }));
  },
});

/** The newest ban of an agent, over or in force, as the next one and its end are asked by it. */
export const banOf = (
  agent: Pick<KnownAgent, "banned_at" | "bans"> | undefined,
): { readonly n: number; readonly isBanned: boolean } | undefined =>
  agent && { n: agent.bans, isBanned: agent.banned_at !== null };

export const agentBanned = transition(entries.agentBanned, {
  refuses: {
    unknown: unknownAgent,
    twice: fault("The agent is banned already."),
    count: fault("An agent's bans are counted from 1."),
  },
  before: (state: IdentityState, entry) => banOf(known(state, entry)),
  rule(ban, { ref }, refuses) {
    if (ban === undefined) return refuses.unknown;
    if (ban.isBanned) return refuses.twice;
    return numberIn(ref) === ban.n + 1 ? undefined : refuses.count;
  },
  evolve({ agents }, { at, body }) {
    become(agents, body.agent, (was) => ({ ...was, banned_at: at, bans: was.bans + 1 }));
  },
});

export const agentUnbanned = transition(entries.agentUnbanned, {
  refuses: {
    unknown: unknownAgent,
    free: fault("The agent is not banned."),
    count: fault("The end of a ban has the ban's number."),
  },
  before: (state: IdentityState, entry) => banOf(known(state, entry)),
  rule(ban, { ref }, refuses) {
    if (ban === undefined) return refuses.unknown;
    if (!ban.isBanned) return refuses.free;
    return numberIn(ref) === ban.n ? undefined : refuses.count;
  },
  evolve({ agents }, { at: unbanned_at, body }) {
    become(agents, body.agent, (was) => ({ ...was, banned_at: null, unbanned_at }));
  },
});

export const agentOwn = transition(entries.agentOwn, {
  refuses: {
    unknown: unknownAgent,
    same: fault("That is what the agent is already."),
    count: fault("The changes of who owns an agent are counted from 1."),
  },
  before(state: IdentityState, entry): { own: number; changes: number } | undefined {
    const agent = known(state, entry);
    return agent && { own: agent.own, changes: agent.ownChanges };
  },
  rule(agent, { ref, body }, refuses) {
    if (agent === undefined) return refuses.unknown;
    if (agent.own === body.own) return refuses.same;
    return numberIn(ref) === agent.changes + 1 ? undefined : refuses.count;
  },
  evolve({ agents }, { body: { agent, own } }) {
    become(agents, agent, (was) => ({ ...was, own, ownChanges: was.ownChanges + 1 }));
  },
});

export const recognition = transition(entries.recognition, {
  refuses: {
    unknown: unknownAgent,
    days: fault("Recognition is 1 to 3,650 days."),
    source: fault("Recognition for a proposal or a quest names it."),
  },
  before: (state: IdentityState, entry) => known(state, entry) !== undefined,
  rule(isKnown, { body }, refuses) {
    if (!isKnown) return refuses.unknown;
    if ((body.days ?? 0) > RECOGNITION_DAYS_MAX) return refuses.days;
    const wanted = { proposal: "claim/", quest: "quest/", grant: undefined }[body.why];
    return wanted === undefined || body.source?.startsWith(wanted) ? undefined : refuses.source;
  },
  evolve({ recognitions }: IdentityState, { body: { recognition_id, agent, days, why, source } }) {
    if (why !== "grant" && source !== undefined)
      recognitions.set(recognition_id, { agent, days, source });
  },
});

export const registrationsPaused = transition(entries.registrationsPaused, {
  refuses: {
    count: fault("Pauses are counted from 1."),
    inForce: fault("Another pause is in force."),
    span: fault(`A pause ends by itself after ${PAUSE_MINUTES_MAX} minutes at most.`),
    announced: fault("A pause is announced before it, by the newest announcement, which says so."),
  },
  before: ({ pause, announced }: IdentityState) => ({ pause, announced }),
  rule({ pause, announced }, entry, refuses) {
    const { pause_id, ends_at, announcement_id } = entry.body;
    if (pause_id !== (pause?.id ?? 0) + 1) return refuses.count;
    if (pause !== null && !pause.isResumed && pause.ends_at > entry.latest) return refuses.inForce;
    const isShort =
      ends_at > entry.earliest && ends_at <= entry.latest + PAUSE_MINUTES_MAX * MINUTE_S;
    if (!isShort) return refuses.span;
    return isAnnounced(announced, announcement_id, "limit_added") ? undefined : refuses.announced;
  },
  evolve(state, { at, body: { ends_at } }) {
    state.announced = null;
    state.pause = { id: (state.pause?.id ?? 0) + 1, ends_at, isResumed: false };
    state.paused_at = at;
  },
});

export const registrationsResumed = transition(entries.registrationsResumed, {
  refuses: { none: fault("No pause with this number is in force.") },
  before: ({ pause }: IdentityState) => pause,
  rule(pause, entry, refuses) {
    const isInForce =
      pause?.id === entry.body.pause_id && !pause.isResumed && pause.ends_at > entry.earliest;
    return isInForce ? undefined : refuses.none;
  },
  evolve(state) {
    if (state.pause !== null) state.pause = { ...state.pause, isResumed: true };
  },
});

/** Recognition days that nothing was granted for, and keys that ids promise. */
export function* owedIdentity({ recognitions, unkeyed }: IdentityState): Generator<Owed> {
  for (const [id, since] of unkeyed)
    yield { of: `agent/${id}`, since, sentence: "The key from which the id follows never came." };
  for (const id of recognitions.keys())
    yield {
      of: `recognition/${id}`,
      since: null,
      sentence: "No entry says what the recognition was granted for.",
    };
}

export const identityTransitions: readonly AnyTransition<IdentityState>[] = [
  agent,
  handle,
  profile,
  agentBanned,
  agentUnbanned,
  agentOwn,
  recognition,
  registrationsPaused,
  registrationsResumed,
];
