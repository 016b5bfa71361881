import { PROTOCOL_VERSION } from "../kernel/contract/protocol.ts";
import { COIN_LOCKED, COIN_SUPPLY } from "../kernel/money.ts";
import { announcementMessage, keyRotationMessage } from "../kernel/proof/seal-text.ts";
import { hasSigned, type SignatureCheck } from "../kernel/proof/signature.ts";
import { HOUR_S, type Seconds } from "../kernel/time.ts";
import * as entries from "./entries.ts";
import { type EntryNames, entryNames } from "./entry-names.ts";
import { type AnyTransition, fault, transition } from "./transition.ts";

/** What the ledger itself makes, as far as rules ask for it. */
export interface LedgerState extends Platform {
  /** The version of the rules in force. */
  rules: number;
  /** The entry before the one that is looked at. */
  last: { readonly id: number; readonly at: Seconds };
  /** How many of the next entries waited while the service was down. */
  resumed: number;
  /** The time that these have: one transaction gave them their places. */
  resumedAt: Seconds;
  /** When the first of the resumptions was placed that follow each other directly; null: the last entry had not waited. */
  runAt: Seconds | null;
  /** The time of the newest entry that had not waited. Nothing that follows was made long before. */
  steadyAt: Seconds;
  announcements: number;
  /** The newest announcement, until an entry names it as its own. */
  announced: { readonly id: number; readonly kind: string } | null;
  /** The operator's newest key; null in a ledger that nobody signs. */
  pubkey: string | null;
  /** All that were ever in force. */
  readonly pubkeys: Set<string>;
  rotations: number;
  epoch: number;
  origin: string;
  /** The leaf of the first entry, 64 hex characters: the name of this ledger among all. */
  genesis: string;
  readonly names: EntryNames;
  /** Entries that break a rule, and of which the operator has said so. */
  readonly acknowledged: Set<number>;
}

/** What a reader of a ledger needs of its platform. */
export interface Platform extends SignatureCheck {
  /** The hash of a text, as 64 lower-case hex characters. */
  readonly sha256Hex: (text: string) => string;
}

export const emptyLedger = (platform: Platform): LedgerState => ({
  rules: 1,
  last: { id: 0, at: 0 },
  resumed: 0,
  resumedAt: 0,
  runAt: null,
  steadyAt: 0,
  announcements: 0,
  announced: null,
  pubkey: null,
  rotations: 0,
  epoch: 1,
  origin: "",
  genesis: "",
  pubkeys: new Set(),
  names: entryNames(),
  acknowledged: new Set(),
  ...platform,
});

/** The origin that the operator signs with: that of genesis, with the number of a later epoch. */
const originOf = ({ origin, epoch }: LedgerState): string =>
  epoch === 1 ? origin : `${origin}#${epoch}`;

/** After this long without an entry silence itself is recorded, so that it is signed, too. */
export const HEARTBEAT_AFTER_S = 24 * HOUR_S;

const genesis = transition(entries.genesis, {
  refuses: {
    again: fault("A ledger begins once."),
    supply: fault("There are 100,000,000 coins, and half of them are locked."),
    protocol: fault("The protocol is one of a later version."),
  },
  before: ({ last }: LedgerState) => last.id,
  rule(last_id, { body }, refuses) {
    if (last_id !== 0) return refuses.again;
    const isSupply =
      body.coin_total_micro === Number(COIN_SUPPLY) &&
      body.coin_locked_micro === Number(COIN_LOCKED) &&
      body.coin_reward_pool_micro === Number(COIN_SUPPLY - COIN_LOCKED);
    if (!isSupply) return refuses.supply;
    return body.protocol_version > PROTOCOL_VERSION ? refuses.protocol : undefined;
  },
  evolve(state, { body }) {
    state.rules = body.rules;
    state.origin = body.origin;
    state.pubkey = body.pubkey ?? null;
    if (body.pubkey !== undefined) state.pubkeys.add(body.pubkey);
  },
});

const announcement = transition(entries.announcement, {
  refuses: {
    count: fault("Announcements are counted from 1."),
    key: fault("An announcement is signed by a key of the operator's."),
    signature: fault("The signature is not one of that key over this announcement."),
  },
  before(state: LedgerState, { body }) {
    const { announcement_id: id, announcement_kind: kind, pubkey, signature } = body;
    const text = announcementMessage({ ...body, origin: originOf(state), id, kind });
    return {
      announcements: state.announcements,
      isOperators: state.pubkey !== null && state.pubkeys.has(pubkey),
      isSigned: hasSigned(state, { pubkey, text, signature }),
    };
  },
  rule({ announcements, isOperators, isSigned }, { body }, refuses) {
    if (body.announcement_id !== announcements + 1) return refuses.count;
    if (!isOperators) return refuses.key;
    return isSigned ? undefined : refuses.signature;
  },
  evolve(state) {
    state.announcements++;
    state.announced = null;
  },
  proves(state, { body: { announcement_id: id, announcement_kind: kind } }) {
    state.announced = { id, kind };
  },
});

/** Whether an announcement is the newest one, of this kind, and no entry's own yet: it was made in the same write. */
export const isAnnounced = (newest: LedgerState["announced"], id: number, kind: string): boolean =>
  newest?.id === id && newest.kind === kind;

const keyRotation = transition(entries.keyRotation, {
  refuses: {
    count: fault("Rotations are counted from 1."),
    old: fault("A rotation follows the key that is in force."),
    anchor: fault("A new key is anchored when the old one has signed it, and only then."),
    signature: fault("The new key, and an old one that is there, sign the rotation."),
  },
  before(state: LedgerState, { body }) {
    const { rotations, pubkey } = state;
    const text = keyRotationMessage({ ...body, origin: originOf(state), old_pubkey: pubkey });
    const { signature_old: signature, signature_new, new_pubkey } = body;
    const isBySelf = hasSigned(state, { pubkey: new_pubkey, text, signature: signature_new });
    const isByOld =
      signature === undefined || hasSigned(state, { pubkey: pubkey ?? "", text, signature });
    return { rotations, pubkey, isSigned: isBySelf && isByOld };
  },
  rule({ rotations, pubkey, isSigned }, { body }, refuses) {
    if (body.rotation !== rotations + 1) return refuses.count;
    if ((body.old_pubkey ?? null) !== pubkey) return refuses.old;
    if ((body.anchored === 1) !== (body.signature_old !== undefined)) return refuses.anchor;
    return isSigned ? undefined : refuses.signature;
  },
  evolve(state) {
    state.rotations++;
  },
  proves(state, { body }) {
    state.pubkey = body.new_pubkey;
    state.pubkeys.add(body.new_pubkey);
  },
});

const ledgerRestored = transition(entries.ledgerRestored, {
  refuses: {
    epoch: fault("A restore begins a later epoch."),
    origin: fault("The origin of an epoch is that of the ledger, with the epoch's number."),
    lost: fault("A restore loses what came after the last entry that is there."),
  },
  before: ({ epoch, last, origin }: LedgerState) => ({ epoch, last_id: last.id, origin }),
  rule({ epoch, last_id, origin }, { body }, refuses) {
    if (body.epoch <= epoch) return refuses.epoch;
    if (body.origin !== `${origin}#${body.epoch}`) return refuses.origin;
    return body.lost_after_id === last_id ? undefined : refuses.lost;
  },
  evolve(state, { body }) {
    state.epoch = Math.max(state.epoch, body.epoch);
  },
});

const heartbeat = transition(entries.heartbeat, {
  refuses: {
    after: fault("A heartbeat names an entry before it."),
    early: fault("A heartbeat comes after 24 hours of silence."),
  },
  before: ({ last }: LedgerState) => last,
  rule(last, { at, body }, refuses) {
    if (body.after_id > last.id) return refuses.after;
    const isNext = body.after_id === last.id;
    return isNext && at - last.at < HEARTBEAT_AFTER_S ? refuses.early : undefined;
  },
  evolve() {},
});

const breachAcknowledged = transition(entries.breachAcknowledged, {
  refuses: { later: fault("What is acknowledged is an entry before it.") },
  before: ({ last }: LedgerState) => last.id,
  rule: (last_id, { body }, refuses) => (body.of <= last_id ? undefined : refuses.later),
  evolve() {},
  proves({ acknowledged }, { body }) {
    acknowledged.add(body.of);
  },
});

const rulesAdopted = transition(entries.rulesAdopted, {
  refuses: { later: fault("Rules are adopted once, and later ones only.") },
  before: ({ rules }: LedgerState) => rules,
  rule: (rules, { body }, refuses) => (body.rules > rules ? undefined : refuses.later),
  always: (rules, { body }, refuses) => (body.rules > rules ? undefined : refuses.later),
  evolve(state, { body }) {
    state.rules = Math.max(state.rules, body.rules);
  },
});

/** A backlog has its places within this time; what follows later waited in another silence. */
const RUN_MAX_S = HOUR_S;

/** Found at the first entry that is not among those which got their places together. */
export const COUNTED_BEYOND = fault("The ledger_resumed before it counts more than had waited.");

const ledgerResumed = transition(entries.ledgerResumed, {
  refuses: {
    after: fault("Entries that have waited follow the last one that had its place."),
    count: COUNTED_BEYOND,
  },
  before: ({ last }: LedgerState) => last.id,
  rule: (last_id, { body }, refuses) => (body.after_id === last_id ? undefined : refuses.after),
  evolve() {},
  proves(state, { at, body: { count } }) {
    if (state.runAt === null || at > state.runAt + RUN_MAX_S) {
      state.steadyAt = state.last.at;
      state.runAt = at;
    }
    state.resumed = count;
    state.resumedAt = at;
  },
});

/** The next entry is looked at: whether it waited, and whether the entry that counted more before it was wrong. */
export function waitsIn(
  state: LedgerState,
  { kind, at }: { readonly kind: string; readonly at: Seconds },
): { readonly isWaiting: boolean; readonly isBeyond: boolean } {
  const isResuming = kind === entries.ledgerResumed.kind;
  const isBeyond = state.resumed > 0 && (isResuming || at !== state.resumedAt);
  if (isBeyond) state.resumed = 0;
  const isWaiting = state.resumed > 0;
  if (isWaiting) state.resumed--;
  return { isWaiting, isBeyond };
}

/** The entry has its place from now on. */
export function placedIn(
  state: LedgerState,
  { id, kind, at }: LedgerState["last"] & { readonly kind: string },
  isWaiting: boolean,
): void {
  state.last = { id, at };
  if (isWaiting || kind === entries.ledgerResumed.kind) return;
  state.steadyAt = at;
  state.runAt = null;
}

export const ledgerTransitions: readonly AnyTransition<LedgerState>[] = [
  genesis,
  announcement,
  keyRotation,
  ledgerRestored,
  heartbeat,
  breachAcknowledged,
  rulesAdopted,
  ledgerResumed,
];
