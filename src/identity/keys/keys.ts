import type { Agent, Context } from "../../context.ts";
import type { Db, Tx } from "../../db/engine.ts";
import { refIn } from "../../kernel/contract/entry-kind.ts";
import type { Problem, Rejects } from "../../kernel/contract/errors.ts";
import { epochOf } from "../../kernel/proof/origin.ts";
import { hasSigned, isPublicKey } from "../../kernel/proof/signature.ts";
import { MINUTE_S, type Seconds } from "../../kernel/time.ts";
import { proposed } from "../../ledger/decide.ts";
import { entryByRef } from "../../ledger/entry-queries.ts";
import { ledgerName } from "../../ledger/genesis.ts";
import { PLATFORM } from "../../ledger/platform.ts";
import { enactSurely } from "../../ledger/rows/enact.ts";
import type { Violation } from "../../ledger/transition.ts";
import { agentKeyLost } from "../entries.ts";
import { rows } from "../rows.ts";
import { countTokenChange } from "../token-queries.ts";
import {
  type ActPlace,
  ATTEMPT_EVERY_S,
  isRecovery,
  keyText,
  type NewKey,
  numberViolation,
  recoveryAt,
  timeViolation,
} from "./act-rule.ts";
import * as sql from "./queries.ts";

/** The time of an act for which its caller names none. */
export const NOT_AFTER_S: Seconds = 10 * MINUTE_S;

/** A key as its owner sends it. */
interface Sent {
  readonly pubkey: string;
  readonly recover_s?: number | undefined;
  readonly act?: number | undefined;
  readonly not_after?: Seconds | undefined;
  readonly signature?: string | undefined;
  readonly signature_old?: string | undefined;
}

type Needs = Pick<Context, "clock" | "settings"> &
  Rejects<"act_unsigned" | "act_gap" | "act_stale" | "key_pending">;

/** The names of ledgers, which never change, by the settings of their services. */
const names = new WeakMap<Context["settings"], string>();

/** The ledger that an act is for, as everybody can find it. */
export async function placeOfActs(
  { settings, reject }: Pick<Context, "settings"> & Rejects<never>,
  read: Db,
): Promise<ActPlace> {
  const genesis = names.get(settings) ?? (await ledgerName({ reject }, read));
  names.set(settings, genesis);
  return { genesis, epoch: epochOf(settings.origin) };
}

type Row = NonNullable<Awaited<ReturnType<typeof sql.keyOf.first>>>;

/** A key as its agent is shown it. */
const showKey = ({ n, pubkey, recover_s, since, act, lost_pubkey, takes_effect_at }: Row) => ({
  n,
  pubkey,
  recover_s,
  since,
  act,
  lost:
    lost_pubkey === null ? null : { pubkey: lost_pubkey, takes_effect_at: takes_effect_at ?? 0 },
});

export type ShownKey = ReturnType<typeof showKey>;

/** The key of an agent, or null. */
export async function ownKey(read: Db, agent: number): Promise<ShownKey | null> {
  const row = await sql.keyOf.first(read, { agent });
  return row === undefined ? null : showKey(row);
}

/** The same as everybody sees it. */
export async function publicKeyOf(read: Db, agent: number): Promise<Omit<ShownKey, "act"> | null> {
  const key = await ownKey(read, agent);
  if (key === null) return null;
  const { act: _, ...shown } = key;
  return shown;
}

/** Gives an agent that registers its first key; it must have none. */
export async function giveKey(
  context: Needs,
  tx: Tx,
  { id, agent_id }: Pick<Agent, "id" | "agent_id">,
  sent: Sent,
): Promise<void> {
  const place = await placeOfActs(context, tx);
  const key = demandKey(context, place, {
    sent,
    agent: agent_id,
    old: undefined,
    recovers_at: null,
  });
  const given = { ...key, ...newestAct(key), agent: { id, agent_id } };
  await enactSurely(tx, rows.agentKey, given, context.clock.now());
}

/** Sets an agent's first key, or the one after it; the same one, sent again, changes nothing. */
export async function setKey(
  context: Needs & Pick<Context, "write"> & { readonly agent: Agent },
  sent: Sent,
): Promise<ShownKey> {
  const { write, clock, agent } = context;
  return write(async (tx) => {
    const old = await sql.lockKey.first(tx, { agent: agent.id });
    if (old === undefined) {
      await countTokenChange.run(tx, {});
      await giveKey(context, tx, agent, sent);
      return shownAfter(tx, agent.id);
    }
    if (old.pubkey === sent.pubkey && old.act === sent.act) return showKey(old);
    const place = await placeOfActs(context, tx);
    const { agent_id } = agent;
    const recovers_at = await recoveryOf(context, tx, { agent: agent_id, row: old });
    const key = demandKey(context, place, { sent, agent: agent_id, old, recovers_at });
    await countTokenChange.run(tx, {});
    await enactSurely(tx, rows.agentKey, { ...key, ...newestAct(key), agent }, clock.now());
    return shownAfter(tx, agent.id);
  });
}

/** From when on the key may be replaced without its word; null: it was not said to be lost. */
async function recoveryOf(
  { clock }: Pick<Context, "clock">,
  read: Db,
  { agent, row }: { readonly agent: string; readonly row: Row },
): Promise<Seconds | null> {
  const { lost_pubkey, takes_effect_at, recover_s, attempts: attempt } = row;
  if (lost_pubkey === null || takes_effect_at === null) return null;
  const ref = refIn(agentKeyLost, { agent, attempt });
  const entry = await entryByRef.first(read, { kind: agentKeyLost.kind, ref: ref ?? "" });
  return recoveryAt({ takes_effect_at, recover_s }, entry?.at ?? clock.now());
}

async function shownAfter(tx: Tx, agent: number): Promise<ShownKey> {
  const row = await sql.keyOf.first(tx, { agent });
  if (row === undefined) throw new Error("A key was stored and is not there.");
  return showKey(row);
}

/** A key with its signatures. */
interface SignedKey extends NewKey {
  readonly signature: string;
  readonly signature_old?: string | undefined;
}

/** The newest act of a key is its own introduction. */
const newestAct = ({ signature }: SignedKey) => ({
  act_signature: signature,
  act_sha256: "",
  act_ref: "",
});

interface Wanted {
  readonly sent: Sent;
  readonly agent: string;
  readonly old: Row | undefined;
  readonly recovers_at: Seconds | null;
}

/** The key that is asked for, if it may be introduced so; else it is refused with the text to sign. */
function demandKey(
  context: Needs,
  place: ActPlace,
  { sent, agent, old, recovers_at }: Wanted,
): SignedKey {
  const { reject, clock } = context;
  const { pubkey, recover_s = 0, signature, signature_old } = sent;
  const now = clock.now();
  if (!isPublicKey(pubkey) || pubkey === old?.pubkey)
    reject("validation_failed", "Send the public key of a new Ed25519 pair.", [
      { field: "pubkey", problem: "must be a new key, and not one of low order" },
    ]);
  if (!isRecovery(recover_s))
    reject("validation_failed", "Choose how long a lost key stays in force.", [
      { field: "recover_s", problem: "must be 0 or 604800 to 7776000: 7 to 90 days" },
    ]);
  const act = sent.act ?? (old?.act ?? 0) + 1;
  const not_after = sent.not_after ?? now + NOT_AFTER_S;
  const key = { agent, n: (old?.n ?? 0) + 1, pubkey, recover_s, act, not_after };
  const text = keyText(place, key);
  const last_act = old?.act ?? 0;
  const misnumbered = numberViolation(act, last_act);
  if (misnumbered !== undefined) refuseNumber(context, misnumbered, last_act);
  const late = timeViolation(proposed({}, now), not_after);
  if (late !== undefined) reject("act_unsigned", late.sentence, toSign(text, key));
  const isOwn = signature !== undefined && hasSigned(PLATFORM, { pubkey, text, signature });
  if (!isOwn) return reject("act_unsigned", NEW_KEY_SIGNS, toSign(text, key));
  if (old === undefined) return { ...key, signature };
  if (signature_old === undefined && old.lost_pubkey === pubkey && recovers_at !== null) {
    if (recovers_at <= now) return { ...key, signature };
    // Its own time is over, and the time since its entry is not.
    if ((old.takes_effect_at ?? 0) <= now) refuse(context, "takes_effect_at", `${recovers_at}`);
  }
  const isTheirs =
    signature_old !== undefined &&
    hasSigned(PLATFORM, { pubkey: old.pubkey, text, signature: signature_old });
  return isTheirs
    ? { ...key, signature, signature_old }
    : reject("act_unsigned", OLD_KEY_SIGNS, toSign(text, key));
}

const NEW_KEY_SIGNS = "Sign to_sign with the new key, and send it again with signature.";
const OLD_KEY_SIGNS =
  "Sign to_sign with the new key and with the old one, and send it again with signature and signature_old.";

/** What a caller needs to sign, as details of its refusal. */
export const toSign = (
  text: string,
  { act, not_after }: { readonly act: number; readonly not_after: Seconds },
): Problem[] => [
  { field: "to_sign", problem: text },
  { field: "act", problem: `${act}` },
  { field: "not_after", problem: `${not_after}` },
];

/** Refuses an act whose number does not follow the last one. */
export const refuseNumber = (
  { reject }: Rejects<"act_gap" | "act_stale">,
  { code, sentence }: Violation,
  last_act: number,
): never =>
  reject(code === "act_gap" ? code : "act_stale", sentence, [
    { field: "last_act", problem: `${last_act}` },
  ]);

type Losing = Pick<Context, "write" | "clock"> & { readonly agent: Agent } & Rejects<"key_pending">;

/** Says that a key is lost; the other one may take its place when the time is over that the key chose. */
export async function loseKey(context: Losing, pubkey: string): Promise<ShownKey> {
  const { write, clock, agent, reject } = context;
  return write(async (tx) => {
    const row = await sql.lockKey.first(tx, { agent: agent.id });
    if (row === undefined || row.recover_s === 0)
      return refuse(
        context,
        "recover_s",
        "is 0: your key cannot be replaced without its signature",
      );
    if (row.lost_pubkey === pubkey) return showKey(row);
    const now = clock.now();
    if (row.tried_at !== null && now < row.tried_at + ATTEMPT_EVERY_S)
      return refuse(context, "next_attempt_at", `${row.tried_at + ATTEMPT_EVERY_S}`);
    if (!isPublicKey(pubkey) || pubkey === row.pubkey)
      return reject("validation_failed", "Send the public key of a new Ed25519 pair.", [
        { field: "pubkey", problem: "must be a new key, and not one of low order" },
      ]);
    const takes_effect_at = now + row.recover_s;
    const attempt = row.attempts + 1;
    await enactSurely(tx, rows.agentKeyLost, { agent, attempt, pubkey, takes_effect_at }, now);
    return showKey({ ...row, lost_pubkey: pubkey, takes_effect_at });
  });
}

/** Says that the key is not lost; the key itself signs that. */
export async function keepKey(context: Losing): Promise<ShownKey> {
  const { write, clock, agent } = context;
  return write(async (tx) => {
    const row = await sql.lockKey.first(tx, { agent: agent.id });
    if (row === undefined) return refuse(context, "key", "You have none.");
    if (row.lost_pubkey === null) return showKey(row);
    await enactSurely(tx, rows.agentKeyKept, { agent, attempt: row.attempts }, clock.now());
    return showKey({ ...row, lost_pubkey: null, takes_effect_at: null });
  });
}

const refuse = ({ reject }: Rejects<"key_pending">, field: string, problem: string): never =>
  reject("key_pending", "Your key does not allow this now.", [{ field, problem }]);
