import type { Context } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { MINUTE_S, type Seconds } from "../../kernel/time.ts";
import * as sql from "./notice-queries.ts";
import { lackingSeal, type Signer, type SignerState } from "./signer.ts";

/** The node with the key repeats its notice this often, so that the others know that it signs. */
const NOTICE_EVERY_S = 30;

/** When nobody has signed for so long, every node says so. */
export const UNSIGNED_MAX_S = 3 * MINUTE_S;

/** All of them, in the order of the figure `cairn_signer_state`. */
export const SIGNER_STATES: readonly SignerState[] = [
  "ok",
  "no_key",
  "key_mismatch",
  "memory_missing",
  "database_behind",
  "unreadable",
];

/** The notice of the node with the operator's key to the other nodes. */
export interface SignerNotice {
  readonly state: SignerState;
  /** The newest seal that it has signed, or, when the database is behind, the one that is missing. */
  readonly seq: number;
  readonly at: Seconds;
}

/** How the signing of seals stands, as this process knows it. */
export interface Signing {
  /** What this node's signer said when it was last asked. */
  state: SignerState;
  /** Why the memory of this node's signer could not be read when it was last asked; null when it could. */
  fault: string | null;
  /** The seal that this node has signed or checked and that the database lacks; null without one. */
  lacks: number | null;
  /** What the node with the key said last, of all that this process has read; null before any. */
  notice: SignerNotice | null;
  /** When this process began to look. */
  readonly began_at: Seconds;
}

/** Looks before anything is served, so that no write is taken in between. */
export async function openSigning(
  { read, clock }: Pick<Context, "read" | "clock">,
  signer: Signer | null,
): Promise<Signing> {
  const lacks = await lackingSeal(read, signer);
  const state = signer === null ? "no_key" : lacks === null ? "ok" : "database_behind";
  const fault = signer?.fault() ?? null;
  return { state, fault, lacks, notice: await readNotice(read), began_at: clock.now() };
}

/** The notice of the node with the key; null before the first. */
export async function readNotice(read: Db): Promise<SignerNotice | null> {
  const row = await sql.signerNotice.first(read, {});
  const state = SIGNER_STATES.find((known) => known === row?.state);
  return row === undefined || state === undefined ? null : { ...row, state };
}

/**
 * Tells all nodes how this one's signer stands, when that has changed and every 30 seconds. A key
 * that the ledger does not name gives no notice: the other nodes do not wait for it.
 */
export async function tellNotice(
  { write, clock }: Pick<Context, "write" | "clock">,
  signing: Signing,
  signer: Signer | null,
): Promise<void> {
  const { state, lacks, notice } = signing;
  if (signer === null || state === "key_mismatch" || state === "no_key") return;
  const memory = signer.recall();
  const signed = memory === null || memory === "unreadable" ? 0 : memory.seq;
  const fresh = { state, seq: lacks ?? signed, at: clock.now() };
  const isNews =
    notice?.state !== state || (state === "database_behind" && notice.seq !== fresh.seq);
  if (!isNews && fresh.at - notice.at < NOTICE_EVERY_S) return;
  await write((tx) => sql.tellNotice.run(tx, fresh));
  signing.notice = fresh;
}

/** A sentence while a seal is missing that was signed or checked before; null otherwise. */
export function whyBehind({ lacks, notice }: Signing): string | null {
  const seq = lacks ?? (notice?.state === "database_behind" ? notice.seq : null);
  return seq === null ? null : `The database lacks seal ${seq}, which was signed.`;
}

/** Why nothing is signed although nothing is known to be lost, and what to do; null while all is well. */
export function whyUnsigned(
  { state, fault, notice, began_at }: Pick<Signing, "state" | "fault" | "notice" | "began_at">,
  now: Seconds,
): string | null {
  const told_at = Math.max(began_at, notice?.at ?? 0);
  if (state === "key_mismatch") return KEY_MISMATCH;
  if (state === "memory_missing") return MEMORY_MISSING;
  if (state === "unreadable") return `${UNREADABLE}: ${fault}.`;
  if (state !== "no_key") return null;
  if (now - told_at > UNSIGNED_MAX_S) return "No node signs.";
  if (notice?.state === "unreadable") return `${UNREADABLE} on the node that signs.`;
  return notice?.state === "memory_missing" ? MEMORY_MISSING : null;
}

const KEY_MISMATCH =
  "The operator's key on this node is not the one that the ledger names: put that one there and start again.";
const UNREADABLE = "signer-memory.json is there and cannot be read";
const MEMORY_MISSING =
  "There are signed seals, but signer-memory.json is gone: put back the one that was there last.";
