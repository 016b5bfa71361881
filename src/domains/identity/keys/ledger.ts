import { isKeyedId, keyedId } from "../../../platform/kernel/proof/agent-id.ts";
import { hasSigned, isPublicKey } from "../../../platform/kernel/proof/signature.ts";
import {
  type AnyTransition,
  become,
  fault,
  hasCome,
  refusal,
  transition,
  type Violation,
} from "../../../platform/ledger/transition.ts";
import * as entries from "../entries.ts";
import { bannedAgent, type IdentityState, isBanned, partyOf, unknownCaller } from "../ledger.ts";
import {
  ACT_REFUSES,
  type Acted,
  ATTEMPT_EVERY_S,
  actViolation,
  isRecovery,
  type KnownKey,
  keyText,
  numberViolation,
  recoveryAt,
  timeViolation,
} from "./act-rule.ts";

/** An agent's key in force, as far as the one after it is asked by it. */
export const keyBefore = ({ n, pubkey, act, lost }: KnownKey) => ({ n, pubkey, act, lost });

/** The same, as far as its loss is asked by it. */
export const keyAtLoss = ({ pubkey, recover_s, attempts, tried_at, lost }: KnownKey) => ({
  ...{ pubkey, recover_s, attempts, tried_at },
  lost_pubkey: lost?.pubkey ?? null,
});

const badKey = refusal("validation_failed", "Send the public key of a new Ed25519 pair.", [
  { field: "pubkey", problem: "must be a new key, and not one of low order" },
]);

/**
 * Whether a key names the handle that it should. An agent without a key in its id can have taken one meanwhile, which
 * then has its place before the key.
 */
function isNamed(
  {
    agent = "",
    n,
    handle,
  }: {
    readonly agent?: string | undefined;
    readonly n: number;
    readonly handle?: string | undefined;
  },
  own: string | null,
): boolean {
  if (handle === undefined) return n > 1 || own === null || !isKeyedId(agent);
  return n === 1 && handle === own;
}

export const agentKey = transition(entries.agentKey, {
  refuses: {
    unknown: unknownCaller,
    banned: bannedAgent,
    count: fault("An agent's keys are counted from 1."),
    pubkey: badKey,
    id: fault("An id of 32 characters follows from the first key of its agent."),
    handle: fault("The first key names the handle of its agent, and no later one names any."),
    recover: refusal("validation_failed", "Choose how long a lost key stays in force.", [
      { field: "recover_s", problem: "must be 0 or 604800 to 7776000: 7 to 90 days" },
    ]),
    stale: ACT_REFUSES.stale,
    gap: ACT_REFUSES.gap,
    late: ACT_REFUSES.late,
    ahead: ACT_REFUSES.ahead,
    own: refusal(
      "act_unsigned",
      "Sign to_sign with the new key, and send it again with signature.",
    ),
    early: refusal(
      "key_pending",
      "Your lost key can be replaced when its time has passed since its entry got its place.",
    ),
    old: refusal(
      "act_unsigned",
      "Sign to_sign with the new key and with the old one, and send it again with signature and signature_old.",
    ),
  },
  before(state: IdentityState, entry) {
    const { body } = entry;
    const key = state.keys.get(body.agent);
    const text = keyText(state, body);
    const { pubkey, signature, signature_old = "" } = body;
    const isOwn = hasSigned(state, { pubkey, text, signature });
    const isOld = hasSigned(state, { pubkey: key?.pubkey ?? "", text, signature: signature_old });
    const agent = partyOf(state.agents.get(body.agent));
    const id = keyedId(pubkey, state.sha256Hex);
    return { agent, key: key && keyBefore(key), id, isOwn, isOld };
  },
  rule({ agent, key, id, isOwn, isOld }, entry, refuses) {
    const { body } = entry;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (body.n !== (key?.n ?? 0) + 1) return refuses.count;
    const { pubkey = "", recover_s = 0, act = 0, not_after = 0, signature_old } = body;
    if (!isPublicKey(pubkey) || pubkey === key?.pubkey) return refuses.pubkey;
    if (key === undefined && isKeyedId(body.agent ?? "") && body.agent !== id) return refuses.id;
    if (!isNamed(body, agent.handle)) return refuses.handle;
    if (!isRecovery(recover_s)) return refuses.recover;
    const untimely = numberViolation(act, key?.act ?? 0) ?? timeViolation(entry, not_after);
    if (untimely !== undefined) return untimely;
    if (!isOwn) return refuses.own;
    if (key === undefined) return signature_old === undefined ? undefined : refuses.old;
    if (signature_old !== undefined) return isOld ? undefined : refuses.old;
    if (key.lost?.pubkey !== pubkey || !hasCome(key.lost.takes_effect_at, entry))
      return refuses.old;
    return hasCome(key.lost.recovers_at, entry) ? undefined : refuses.early;
  },
  evolve() {},
  proves({ keys, unkeyed }, { body: { agent, n, pubkey, recover_s, act } }) {
    unkeyed.delete(agent);
    const { attempts = 0, tried_at = null } = keys.get(agent) ?? {};
    keys.set(agent, { n, pubkey, recover_s, act, attempts, tried_at, lost: null });
  },
});

export const agentKeyLost = transition(entries.agentKeyLost, {
  refuses: {
    unknown: unknownCaller,
    banned: bannedAgent,
    never: refusal("key_pending", "Your key cannot be replaced without its signature.", [
      { field: "recover_s", problem: "is 0, or you have no key" },
    ]),
    count: fault("Attempts to replace a lost key are counted from 1."),
    same: fault("The key is said to be lost already, with the same one in its place."),
    often: refusal("key_pending", "A lost key is named once in 30 days."),
    pubkey: badKey,
    time: fault("A lost key is replaced when the time is over that its agent has chosen."),
  },
  before({ agents, keys }: IdentityState, { body }) {
    const key = keys.get(body.agent);
    return { agent: partyOf(agents.get(body.agent)), key: key && keyAtLoss(key) };
  },
  rule({ agent, key }, entry, refuses) {
    const { attempt, pubkey = "", takes_effect_at } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (key === undefined || key.recover_s === 0) return refuses.never;
    if (attempt !== key.attempts + 1) return refuses.count;
    if (key.lost_pubkey === pubkey) return refuses.same;
    const next_at = key.tried_at === null ? 0 : key.tried_at + ATTEMPT_EVERY_S;
    if (!hasCome(next_at, entry))
      return { ...refuses.often, details: [{ field: "next_attempt_at", problem: `${next_at}` }] };
    if (!isPublicKey(pubkey) || pubkey === key.pubkey) return refuses.pubkey;
    return takes_effect_at === entry.latest + key.recover_s ? undefined : refuses.time;
  },
  evolve({ keys }, { body: { agent, made_at: tried_at } }) {
    become(keys, agent, (key) => ({ ...key, attempts: key.attempts + 1, tried_at }));
  },
  proves({ keys }, { at, body: { agent, pubkey, takes_effect_at } }) {
    become(keys, agent, (key) => {
      const recovers_at = recoveryAt({ ...key, takes_effect_at }, at);
      return { ...key, lost: { pubkey, takes_effect_at, recovers_at } };
    });
  },
});

export const agentKeyKept = transition(entries.agentKeyKept, {
  refuses: {
    keyless: refusal("key_pending", "You have no key.", [
      { field: "key", problem: "You have none." },
    ]),
    same: fault("No key of this agent is said to be lost."),
    attempt: fault("A key is kept after the attempt to replace it."),
  },
  before({ keys }: IdentityState, { body }) {
    const key = keys.get(body.agent);
    return key && { attempts: key.attempts, isLost: key.lost !== null };
  },
  rule(key, { body }, refuses) {
    if (key === undefined) return refuses.keyless;
    if (!key.isLost) return refuses.same;
    return body.attempt === key.attempts ? undefined : refuses.attempt;
  },
  evolve() {},
  proves({ keys }, { body: { agent } }) {
    become(keys, agent, (key) => ({ ...key, lost: null }));
  },
  actor: (_, { body }) => body.agent,
});

export const keyTransitions: readonly AnyTransition<IdentityState>[] = [
  agentKey,
  agentKeyLost,
  agentKeyKept,
];

/** Why an entry is not allowed as an act of its agent; undefined: it is, and its key has counted it, or it is none. */
export function followAct(
  state: IdentityState,
  { kind, entry, agent }: Omit<Acted, "key">,
): Violation | undefined {
  const key = state.keys.get(agent);
  if (state.unkeyed.has(agent)) return ACT_REFUSES.unsigned;
  const violation = actViolation({ kind, entry, agent, key }, state);
  if (violation !== undefined) return violation;
  const { act } = entry.body;
  if (key !== undefined && act !== undefined) state.keys.set(agent, { ...key, act: Number(act) });
  return undefined;
}
