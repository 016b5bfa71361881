import type { Agent, Context } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import { refIn } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Problem, Rejects } from "../../../platform/kernel/contract/errors.ts";
import { keyedId } from "../../../platform/kernel/proof/agent-id.ts";
import { epochOf } from "../../../platform/kernel/proof/origin.ts";
import { hasSigned } from "../../../platform/kernel/proof/signature.ts";
import { MINUTE_S, type Seconds } from "../../../platform/kernel/time.ts";
import { decideChange } from "../../../platform/ledger/decide.ts";
import { entryByRef } from "../../../platform/ledger/entry-queries.ts";
import { ledgerName } from "../../../platform/ledger/genesis.ts";
import { PLATFORM } from "../../../platform/ledger/platform.ts";
import { demandAllowed, enactAllowed } from "../../../platform/ledger/rows/enact-allowed.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import type { Violation } from "../../../platform/ledger/transition.ts";
import * as entries from "../entries.ts";
import { callerOf } from "../ledger.ts";
import { rows } from "../rows.ts";
import { countTokenChange } from "../token-queries.ts";
import { type ActPlace, type KnownKey, keyText, recoveryAt } from "./act-rule.ts";
import { agentKey, agentKeyKept, agentKeyLost, keyAtLoss, keyBefore } from "./ledger.ts";
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

type Owner = Pick<Agent, "id" | "agent_id" | "handle">;

/** Looks ahead of a registration whether its agent may have this first key. */
export async function demandKey(
  context: Needs & Pick<Context, "read">,
  agent: Owner,
  sent: Sent,
): Promise<void> {
  const look = await introductionIn(context, context.read, { agent, sent, row: undefined });
  demandAllowed(context, [agentKey, rows.agentKey], look);
}

/** Gives an agent that registers its first key; it must have none. */
export async function giveKey(context: Needs, tx: Tx, agent: Owner, sent: Sent): Promise<void> {
  const given = await introductionIn(context, tx, { agent, sent, row: undefined });
  await enactAllowed(context, tx, [agentKey, rows.agentKey], given);
}

/** Sets an agent's first key, or the one after it; the same one, sent again, changes nothing. */
export async function setKey(
  context: Needs & Pick<Context, "read" | "write"> & { readonly agent: Agent },
  sent: Sent,
): Promise<ShownKey> {
  const { read, write, agent } = context;
  const isSet = (row: Row | undefined): row is Row =>
    row !== undefined && row.pubkey === sent.pubkey && row.act === sent.act;
  const seen = await sql.keyOf.first(read, { agent: agent.id });
  if (isSet(seen)) return showKey(seen);
  const look = await introductionIn(context, read, { agent, sent, row: seen });
  demandAllowed(context, [agentKey, rows.agentKey], look);
  return write(async (tx) => {
    const row = await sql.lockKey.first(tx, { agent: agent.id });
    if (isSet(row)) return showKey(row);
    const wanted = await introductionIn(context, tx, { agent, sent, row });
    await countTokenChange.run(tx, {});
    await enactAllowed(context, tx, [agentKey, rows.agentKey], wanted);
    return shownAfter(tx, agent.id);
  });
}

/** A key as rules see it. */
async function knownKey(
  { clock }: Pick<Context, "clock">,
  read: Db,
  { agent, row }: { readonly agent: string; readonly row: Row },
): Promise<KnownKey> {
  const { lost_pubkey, takes_effect_at, recover_s, attempts: attempt } = row;
  if (lost_pubkey === null || takes_effect_at === null) return { ...row, lost: null };
  const ref = refIn(entries.agentKeyLost, { agent, attempt });
  const entry = await entryByRef.first(read, { kind: entries.agentKeyLost.kind, ref: ref ?? "" });
  const recovers_at = recoveryAt({ takes_effect_at, recover_s }, entry?.at ?? clock.now());
  return { ...row, lost: { pubkey: lost_pubkey, takes_effect_at, recovers_at } };
}

async function shownAfter(tx: Tx, agent: number): Promise<ShownKey> {
  const row = await sql.keyOf.first(tx, { agent });
  if (row === undefined) throw new Error("A key was stored and is not there.");
  return showKey(row);
}

interface Introduced {
  readonly agent: Owner;
  readonly sent: Sent;
  /** The key in force. */
  readonly row: Row | undefined;
}

/** The key that is asked for, what its rule reads, and the text to sign that its refusals show. */
async function introductionIn(context: Needs, read: Db, { agent, sent, row }: Introduced) {
  const { id, agent_id, handle } = agent;
  const { pubkey, recover_s = 0, signature, signature_old } = sent;
  const now = context.clock.now();
  const last_act = row?.act ?? 0;
  const act = sent.act ?? last_act + 1;
  const not_after = sent.not_after ?? now + NOT_AFTER_S;
  const n = (row?.n ?? 0) + 1;
  const named = n === 1 && handle !== null ? { handle } : {};
  const key = { ...{ agent: agent_id, n, pubkey, recover_s, act, not_after }, ...named };
  const text = keyText(await placeOfActs(context, read), key);
  const hasSignedIt = (by: string, signed: string | undefined): boolean =>
    signed !== undefined && hasSigned(PLATFORM, { pubkey: by, text, signature: signed });
  const old = row && (await knownKey(context, read, { agent: agent_id, row }));
  const before = {
    agent: callerOf({ handle }),
    key: old && keyBefore(old),
    id: keyedId(pubkey, sha256Hex),
    isOwn: hasSignedIt(pubkey, signature),
    isOld: old !== undefined && hasSignedIt(old.pubkey, signature_old),
  };
  const unsigned = toSign(text, key);
  const numbers = [{ field: "last_act", problem: `${last_act}` }];
  const recovers_at = [{ field: "takes_effect_at", problem: `${old?.lost?.recovers_at}` }];
  return {
    before,
    now,
    given: {
      ...{ ...key, agent: { id, agent_id }, signature: signature ?? "" },
      signature_old: row && signature_old,
      // The newest act of a key is its own introduction.
      ...{ act_signature: signature ?? "", act_sha256: "", act_ref: "" },
    },
    shows: {
      ...{ stale: numbers, gap: numbers, early: recovers_at },
      ...{ late: unsigned, ahead: unsigned, own: unsigned, old: unsigned },
    },
  };
}

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

type Losing = Pick<Context, "read" | "write" | "clock"> & {
  readonly agent: Agent;
} & Rejects<"key_pending">;

/** Says that a key is lost; the other one may take its place when the time is over that the key chose. */
export async function loseKey(context: Losing, pubkey: string): Promise<ShownKey> {
  const { read, write, clock, agent } = context;
  /** The entry of the loss; null: it is said already. */
  const lossOf = async (db: Db, row: Row | undefined) => {
    const now = clock.now();
    const { agent_id } = agent;
    const key = row && (await knownKey(context, db, { agent: agent_id, row }));
    const before = { agent: callerOf(agent), key: key && keyAtLoss(key) };
    const takes_effect_at = now + (key?.recover_s ?? 0);
    const body = { agent: agent_id, attempt: (key?.attempts ?? 0) + 1, pubkey, takes_effect_at };
    const isNew = decideChange(context, agentKeyLost, before, { body, now, same: "same" });
    return isNew ? { before, given: { ...body, agent }, now } : null;
  };
  await lossOf(read, await sql.keyOf.first(read, { agent: agent.id }));
  return write(async (tx) => {
    const loss = await lossOf(tx, await sql.lockKey.first(tx, { agent: agent.id }));
    if (loss !== null) await enactAllowed(context, tx, [agentKeyLost, rows.agentKeyLost], loss);
    return shownAfter(tx, agent.id);
  });
}

/** Says that the key is not lost; the key itself signs that. */
export async function keepKey(context: Losing): Promise<ShownKey> {
  const { read, write, clock, agent } = context;
  const keptBy = (row: Row | undefined) => {
    const attempt = row?.attempts ?? 0;
    const before = row && { attempts: attempt, isLost: row.lost_pubkey !== null };
    const [body, now] = [{ agent: agent.agent_id, attempt }, clock.now()];
    const isNew = decideChange(context, agentKeyKept, before, { body, now, same: "same" });
    return isNew ? { before, given: { ...body, agent }, now } : null;
  };
  keptBy(await sql.keyOf.first(read, { agent: agent.id }));
  return write(async (tx) => {
    const kept = keptBy(await sql.lockKey.first(tx, { agent: agent.id }));
    if (kept !== null) await enactAllowed(context, tx, [agentKeyKept, rows.agentKeyKept], kept);
    return shownAfter(tx, agent.id);
  });
}
