import { type EntryKind, signedIn } from "../../../platform/kernel/contract/entry-kind.ts";
import { actText, type SignedAct } from "../../../platform/kernel/proof/act-text.ts";
import { hasSigned, type SignatureCheck } from "../../../platform/kernel/proof/signature.ts";
import { DAY_S, days, type Seconds } from "../../../platform/kernel/time.ts";
import {
  type Drafted,
  fault,
  isAhead,
  refusal,
  type Violation,
} from "../../../platform/ledger/transition.ts";

/** An act is signed for a time that ends within a day, so that no old signature lies about. */
const NOT_AFTER_MAX_S: Seconds = DAY_S;

/** The choices for a lost key: 0 is never. */
const RECOVER_DAYS_MIN = 7;
const RECOVER_DAYS_MAX = 90;
/** Whether a time for a lost key may be chosen. */
export const isRecovery = (recover_s: Seconds): boolean =>
  recover_s === 0 || (recover_s >= days(RECOVER_DAYS_MIN) && recover_s <= days(RECOVER_DAYS_MAX));

/** After an attempt to replace a lost key the next one waits for so long. */
export const ATTEMPT_EVERY_S: Seconds = days(30);

/**
 * The key that takes the place of a lost one unless that objects.
 * @public The types of keys name it.
 */
export interface LostKey {
  readonly pubkey: string;
  /** When its own time is over. */
  readonly takes_effect_at: Seconds;
  /** From when on it may take the place (`recoveryAt`). */
  readonly recovers_at: Seconds;
}

/** An agent's key in force. */
export interface KnownKey {
  readonly n: number;
  readonly pubkey: string;
  readonly recover_s: Seconds;
  /** The largest number of an act that it has signed. */
  readonly act: number;
  readonly attempts: number;
  readonly tried_at: Seconds | null;
  readonly lost: LostKey | null;
}

/**
 * When a lost key may be replaced without its word: when its time is over, and not before the same time has passed
 * since its agent could read of it in the ledger.
 */
export const recoveryAt = (
  {
    takes_effect_at,
    recover_s,
  }: { readonly takes_effect_at: Seconds; readonly recover_s: Seconds },
  placed_at: Seconds,
): Seconds => Math.max(takes_effect_at, placed_at + recover_s);

/** The ledger that an act is for; a copy of the data elsewhere has the same. */
export interface ActPlace {
  readonly genesis: string;
  readonly epoch: number;
}

/** What every kind of a signed act can be refused with. */
export const ACT_REFUSES = {
  unsigned: refusal("act_unsigned", "You have an act key, and this act needs its signature."),
  keyless: refusal("act_unsigned", "You have no act key, so nothing of yours is signed."),
  part: fault("An act is signed with all of key, act, not_after and act_signature, or not at all."),
  key: refusal("act_unsigned", "The act is signed by a key that is not in force."),
  stale: refusal("act_stale", "You have made a later act. Its number must rise with each act."),
  gap: refusal(
    "act_gap",
    "Acts are counted: the number of an act is one over that of the last one.",
  ),
  late: refusal("too_late", "The time in not_after is over; nothing was written."),
  ahead: refusal("act_unsigned", "An act is signed for at most 24 hours: not_after is later."),
  signature: refusal("act_unsigned", "The signature is not one of your key over this act."),
} as const;

/** The number that an act has, after the last one of its agent: who leaves one out leaves out all after it. */
export function numberViolation(act: number, last: number): Violation | undefined {
  if (act <= last) return ACT_REFUSES.stale;
  return act > last + 1 ? ACT_REFUSES.gap : undefined;
}

/** The time in which an act may be made. */
export function timeViolation(entry: Drafted, not_after: Seconds): Violation | undefined {
  if (entry.earliest > not_after) return ACT_REFUSES.late;
  return isAhead(not_after - NOT_AFTER_MAX_S, { earliest: entry.latest })
    ? ACT_REFUSES.ahead
    : undefined;
}

/** An entry that may be an act, the agent whose act it is, and its key in force. */
export interface Acted {
  readonly kind: EntryKind;
  readonly entry: Drafted;
  readonly agent: string;
  readonly key: KnownKey | undefined;
}

/** What the key of an act signs; null where the entry is nobody's act. */
export function textOf({ kind, entry, agent }: Acted, place: ActPlace): string | null {
  const body = signedIn(kind, entry.body);
  if (body === null) return null;
  const { key = 0, act = 0, not_after = 0 } = entry.body;
  const numbers = { key: Number(key), act: Number(act), not_after: Number(not_after) };
  const { genesis, epoch } = place;
  return actText({ genesis, epoch, agent, ...numbers, kind: kind.kind, body });
}

/** Why an entry is not allowed as an act of its agent; undefined: it is, or it is none. */
export function actViolation(
  acted: Acted,
  place: ActPlace & SignatureCheck,
): Violation | undefined {
  const { entry, key } = acted;
  const { key: n, act, not_after, act_signature } = entry.body;
  const given = [n, act, not_after, act_signature].filter((each) => each !== undefined).length;
  const text = textOf(acted, place);
  if (given === 0) return key === undefined || text === null ? undefined : ACT_REFUSES.unsigned;
  if (key === undefined || text === null) return ACT_REFUSES.keyless;
  if (given < 4) return ACT_REFUSES.part;
  if (n !== key.n) return ACT_REFUSES.key;
  const signature = String(act_signature);
  return (
    numberViolation(Number(act), key.act) ??
    timeViolation(entry, Number(not_after)) ??
    (hasSigned(place, { pubkey: key.pubkey, text, signature }) ? undefined : ACT_REFUSES.signature)
  );
}

/** A change of key, as both keys sign it. The first one names the handle, so that it fits one agent as it is. */
export const keyText = (
  { genesis, epoch }: ActPlace,
  { agent, n, pubkey, recover_s, act, not_after, handle }: NewKey,
): string =>
  actText({
    genesis,
    epoch,
    key: n,
    act,
    not_after,
    kind: "agent_key",
    agent,
    body: { agent, n, pubkey, recover_s, ...(handle !== undefined && { handle }) },
  } satisfies SignedAct);

/** A key before it is in force. */
export interface NewKey {
  readonly agent: string;
  readonly n: number;
  readonly pubkey: string;
  readonly recover_s: Seconds;
  readonly act: number;
  readonly not_after: Seconds;
  /** That of the agent, with its first key. */
  readonly handle?: string | undefined;
}
