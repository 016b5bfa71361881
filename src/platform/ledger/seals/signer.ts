import type { Context } from "../../context.ts";
import type { Db, Tx } from "../../db/engine.ts";
import { sealMessage } from "../../kernel/proof/seal-text.ts";
import type { Seconds } from "../../kernel/time.ts";
import * as sql from "../queries.ts";
import { type OperatorKey, operatorKeys } from "./keys.ts";
import { hex, type SealRow, sealHashOf, showSeal } from "./seals.ts";

/** What the signer remembers outside the database: the newest signature that it gave. */
export interface SignerMemory {
  readonly origin: string;
  readonly pubkey: string;
  readonly seq: number;
  readonly seal_hash: string;
  readonly signed_at: number;
  readonly signature: string;
}

/** One key of the operator's. */
export interface SigningKey {
  /** 64 hex characters. */
  readonly pubkey: string;
  /** Ed25519 over the UTF-8 text, standard base64 with padding. */
  sign(message: string): string;
}

/** The operator's keys on this node, old ones and the current one, and what they signed. */
export interface Signer {
  /** The key with this public half, or null when it is not here. A rotation may bring one any time. */
  keyOf(pubkey: string): SigningKey | null;
  /** Null when this node has never signed. */
  recall(): SignerMemory | "unreadable" | null;
  /** Why the memory could not be read when it was recalled last; null when it could. */
  fault(): string | null;
  /** Durable when it returns. */
  remember(memory: SignerMemory): void;
}

/** Why seals are signed here, or why not (docs/reference/ledger.md). */
export type SignerState =
  | "ok"
  | "no_key"
  | "key_mismatch"
  | "memory_missing"
  | "database_behind"
  | "unreadable";

/**
 * Signs the seals that wait, oldest first, each in a write that holds the seal head. The memory is
 * written before the signature is stored, so after a crash the same signature is stored again, and
 * two different seals with one number are never both signed.
 */
export async function signSeals(
  context: Pick<Context, "write" | "clock">,
  signer: Signer | null,
): Promise<SignerState> {
  if (signer === null) return "no_key";
  for (;;) {
    const step = await context.write((tx) => signNext(tx, signer, context.clock.now()));
    if (step !== "signed") return step;
  }
}

async function signNext(
  tx: Tx,
  signer: Signer,
  now: number,
): Promise<"signed" | Exclude<SignerState, "no_key">> {
  const head = await sql.lockSealHead.first(tx, {});
  const memory = signer.recall();
  if (memory === "unreadable") return "unreadable";
  if (memory === null) {
    if ((await sql.anySigned.first(tx, {})) !== undefined) return "memory_missing";
  } else {
    const known = await rememberedSeal(tx, memory);
    if (known === null || head === undefined || head.last_seq < memory.seq)
      return "database_behind";
    if (known.signature === null) return store(tx, memory);
  }
  const keys = await operatorKeys(tx);
  const due = await firstSignable(tx, signer, keys, memory?.seq ?? 0);
  if (due === null) {
    const current = keys.at(-1);
    return current && signer.keyOf(current.public_key) ? "ok" : "key_mismatch";
  }
  const { seal, key } = due;
  if (!(await continues(tx, seal, memory))) return "database_behind";
  const fresh = signatureBy(key, seal, now);
  signer.remember(fresh);
  return store(tx, fresh);
}

/** The seal that was signed last, as the database has it; null when that lacks it, or has another. */
async function rememberedSeal(db: Db, memory: SignerMemory): Promise<SealRow | null> {
  const known = await sql.sealBySeq.first(db, { seq: memory.seq });
  return known !== undefined && hex(known.seal_hash) === memory.seal_hash ? known : null;
}

/**
 * The seal that this node has signed last, if the database lacks it or has another; null otherwise.
 * The reads of one turn of the event loop share a snapshot, which may be older than the memory when
 * another process signs. So a seal that is missing is looked for again in the next turn.
 */
export async function lackingSeal(db: Db, signer: Signer | null): Promise<number | null> {
  if ((await lackingNow(db, signer)) === null) return null;
  await new Promise((resolve) => setImmediate(resolve));
  return lackingNow(db, signer);
}

async function lackingNow(db: Db, signer: Signer | null): Promise<number | null> {
  const memory = signer?.recall() ?? null;
  if (memory === null || memory === "unreadable") return null;
  return (await rememberedSeal(db, memory)) === null ? memory.seq : null;
}

/**
 * Throws a sentence when this node has signed a seal that the database lacks: what the operator
 * signs into an older copy is lost with it, and contradicts what readers have seen. In a write there
 * is no older snapshot, and it may await nothing but its transaction.
 */
export async function demandNotBehind(db: Db, signer: Signer | null): Promise<void> {
  const seq = await lackingNow(db, signer);
  if (seq === null) return;
  throw new Error(
    `This database lacks seal ${seq}, which this node has signed (database_behind). Bring back the newest database, or \`cairn backup\` this one and restore that.`,
  );
}

/** A seal, signed, as it is to be remembered and stored. */
export function signatureBy(key: SigningKey, seal: SealRow, now: Seconds): SignerMemory {
  const signed_at = Math.max(now, seal.at);
  return {
    origin: seal.origin,
    pubkey: key.pubkey,
    seq: seal.seq,
    seal_hash: hex(seal.seal_hash),
    signed_at,
    signature: key.sign(sealMessage(showSeal(seal), signed_at, key.pubkey)),
  };
}

/** The oldest seal after `after_seq` that a key of this node may sign: those of a lost key stay as they are. */
async function firstSignable(
  db: Db,
  signer: Signer,
  keys: readonly OperatorKey[],
  after_seq: number,
): Promise<{ readonly seal: SealRow; readonly key: SigningKey } | null> {
  for (const { public_key, from_seq, to_seq } of keys) {
    const key = signer.keyOf(public_key);
    const range = { after_seq: Math.max(after_seq, from_seq - 1) };
    const seal = key && (await sql.firstUnsigned.first(db, range));
    if (key && seal && (to_seq === null || seal.seq <= to_seq)) return { seal, key };
  }
  return null;
}

async function store(
  tx: Tx,
  { seq, signed_at, pubkey, signature }: SignerMemory,
): Promise<"signed"> {
  await sql.signSeal.run(tx, { seq, signed_at, pubkey, signature });
  return "signed";
}

/** Whether a seal is whole and leads back, link by link, to the one that was signed last. */
async function continues(db: Db, seal: SealRow, memory: SignerMemory | null): Promise<boolean> {
  let later = seal;
  if (!isWhole(later)) return false;
  while (memory !== null && later.seq > memory.seq + 1) {
    const earlier = await sql.sealBySeq.first(db, { seq: later.seq - 1 });
    if (earlier === undefined || !isWhole(earlier) || !follows(later, hex(earlier.seal_hash))) {
      return false;
    }
    later = earlier;
  }
  return memory === null || follows(later, memory.seal_hash);
}

const isWhole = (seal: SealRow): boolean => hex(sealHashOf(showSeal(seal))) === hex(seal.seal_hash);

const follows = (seal: SealRow, seal_hash: string): boolean =>
  seal.prev_seal !== null && hex(seal.prev_seal) === seal_hash;
