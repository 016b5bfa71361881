import { hasSigned, isPublicKey } from "../../kernel/proof/signature.ts";
import {
  type AnyTransition,
  become,
  type Drafted,
  fault,
  hasCome,
  transition,
  type Violation,
} from "../../ledger/transition.ts";
import * as entries from "../entries.ts";
import { bannedAgent, type IdentityState, isBanned, unknownAgent } from "../ledger.ts";
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

type Named = { readonly body: { readonly agent: string } };

const known = ({ agents, keys }: IdentityState, { body }: Named) => ({
  agent: agents.get(body.agent),
  key: keys.get(body.agent),
});

/** Whether a key may take the place of another without its word: that was said to be lost long enough ago. */
const isRecovered = (key: KnownKey | undefined, pubkey: string, entry: Drafted): boolean =>
  key?.lost?.pubkey === pubkey && hasCome(key.lost.takes_effect_at, entry);

const agentKey = transition(entries.agentKey, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    count: fault("An agent's keys are counted from 1."),
    pubkey: fault("A key is a public key of Ed25519, not of low order, and another than the last."),
    recover: fault("A lost key is replaced after 7 to 90 days, or with 0 never."),
    stale: ACT_REFUSES.stale,
    gap: ACT_REFUSES.gap,
    late: ACT_REFUSES.late,
    ahead: ACT_REFUSES.ahead,
    own: fault("A new key has signed that it takes its place."),
    old: fault(
      "A change of key is signed by the old one, unless that was said to be lost in time.",
    ),
  },
  before(state: IdentityState, entry) {
    const { body } = entry;
    const { agent, key } = known(state, entry);
    const text = keyText(state, body);
    const { pubkey, signature, signature_old = "" } = body;
    const isOwn = hasSigned(state, { pubkey, text, signature });
    const old = { pubkey: key?.pubkey ?? "", text, signature: signature_old };
    return { agent, key, isOwn, isOld: hasSigned(state, old) };
  },
  rule({ agent, key, isOwn, isOld }, entry, refuses) {
    const { body } = entry;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (body.n !== (key?.n ?? 0) + 1) return refuses.count;
    if (!isPublicKey(body.pubkey) || body.pubkey === key?.pubkey) return refuses.pubkey;
    if (!isRecovery(body.recover_s)) return refuses.recover;
    const untimely =
      numberViolation(body.act, key?.act ?? 0) ?? timeViolation(entry, body.not_after);
    if (untimely !== undefined) return untimely;
    if (!isOwn) return refuses.own;
    const { pubkey, signature_old } = body;
    if (key === undefined) return signature_old === undefined ? undefined : refuses.old;
    if (signature_old === undefined)
      return isRecovered(key, pubkey, entry) ? undefined : refuses.old;
    return isOld ? undefined : refuses.old;
  },
  evolve({ keys }, { body: { agent, n, pubkey, recover_s, act } }) {
    const { attempts = 0, tried_at = null } = keys.get(agent) ?? {};
    keys.set(agent, { n, pubkey, recover_s, act, attempts, tried_at, lost: null });
  },
});

const agentKeyLost = transition(entries.agentKeyLost, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    never: fault("The agent has chosen no time for a lost key."),
    count: fault("Attempts to replace a lost key are counted from 1."),
    often: fault("A lost key is named once in 30 days."),
    pubkey: fault("A key is a public key of Ed25519, not of low order, and another than the last."),
    time: fault("A lost key is replaced when the time is over that its agent has chosen."),
  },
  before: known,
  rule({ agent, key }, entry, refuses) {
    const { attempt, pubkey, takes_effect_at } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (key === undefined || key.recover_s === 0) return refuses.never;
    if (attempt !== key.attempts + 1) return refuses.count;
    const isOften = key.tried_at !== null && !hasCome(key.tried_at + ATTEMPT_EVERY_S, entry);
    if (isOften) return refuses.often;
    if (!isPublicKey(pubkey) || pubkey === key.pubkey) return refuses.pubkey;
    return takes_effect_at === entry.latest + key.recover_s ? undefined : refuses.time;
  },
  evolve({ keys }, { at, body }) {
    const { agent, attempt: attempts, pubkey, made_at: tried_at } = body;
    become(keys, agent, (key) => {
      const takes_effect_at = recoveryAt({ ...key, ...body }, at);
      return { ...key, attempts, tried_at, lost: { pubkey, takes_effect_at } };
    });
  },
});

const agentKeyKept = transition(entries.agentKeyKept, {
  refuses: { none: fault("No key of this agent is said to be lost.") },
  before: known,
  rule: ({ key }, { body }, refuses) =>
    key?.lost != null && body.attempt === key.attempts ? undefined : refuses.none,
  evolve({ keys }, { body: { agent } }) {
    become(keys, agent, (key) => ({ ...key, lost: null }));
  },
  actor: (_, { body }) => body.agent,
});

export const keyTransitions: readonly AnyTransition<IdentityState>[] = [
  agentKey,
  agentKeyLost,
  agentKeyKept,
];

/** Why an entry is not allowed as an act of its agent; undefined: it is, or it is none. The key counts it. */
export function followAct(
  state: IdentityState,
  { kind, entry, agent }: Omit<Acted, "key">,
): Violation | undefined {
  const key = state.keys.get(agent);
  const violation = actViolation({ kind, entry, agent, key }, state);
  const act = Number(entry.body["act"] ?? 0);
  if (key !== undefined && act > key.act) state.keys.set(agent, { ...key, act });
  return violation;
}
