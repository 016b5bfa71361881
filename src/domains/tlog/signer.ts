import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { fromBase64, fromHex, toHex } from "../../platform/kernel/bytes.ts";
import { isSame, logNode } from "../../platform/kernel/proof/merkle.ts";
import { checkpointText } from "../../platform/kernel/tlog/checkpoint.ts";
import { logLine, noteOf } from "../../platform/kernel/tlog/note.ts";
import { isConsistent, type TreeHead } from "../../platform/kernel/tlog/tree.ts";
import { sealHead } from "../../platform/ledger/queries.ts";
import type { SigningKey } from "../../platform/ledger/seals/signer.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import type { Log } from "./log.ts";
import { consistencyProof } from "./proofs.ts";
import * as sql from "./queries.ts";

/** What this node remembers outside the database: the newest checkpoint that it signed. */
interface LogMemory {
  readonly origin: string;
  readonly size: number;
  /** Hex. */
  readonly root: string;
  /** The signed note. */
  readonly checkpoint: string;
}

/** The log's key on this node, and what it signed. */
export interface LogSigner {
  /** Null when it is not here. Throws a sentence when its file is unusable. */
  key(): SigningKey | null;
  /** Where it is looked for. */
  readonly keyFile: string;
  /**
   * The key for a log that has none yet: the one in the file, or one that is made now. One that the
   * ledger names for an earlier log is kept beside it, under its first eight characters.
   */
  freshKey(named: ReadonlySet<string>): SigningKey;
  /** Null when this node has never signed a checkpoint. */
  recall(): LogMemory | "unreadable" | null;
  /** Why the memory could not be read when it was recalled last; null when it could. */
  fault(): string | null;
  /** Durable when it returns. */
  remember(memory: LogMemory): void;
  /** Whether somebody else has signed with this key, which ends its use here. */
  isStopped(): boolean;
  /** Keeps the note that shows it. */
  stop(note: string): void;
}

/** Why checkpoints are signed here, or why not (docs/reference/log.md). */
export type LogState =
  | "off"
  | "ok"
  | "key_missing"
  | "key_mismatch"
  | "memory_missing"
  | "database_behind"
  | "inconsistent"
  | "signed_elsewhere"
  | "unreadable";

const inLog = logNode(sha256);

type Signing = Pick<Context, "read" | "write" | "clock">;

/**
 * Signs a checkpoint for the newest seal that is signed, checked and covered by the nodes, if it
 * continues the last one. The memory is written before the checkpoint is stored: after a crash the
 * same one is stored again, and no size of one log ever gets two roots.
 */
export async function signCheckpoint(
  context: Signing,
  signer: LogSigner,
  log: Log,
): Promise<LogState> {
  const { read } = context;
  const key = signer.key();
  if (key === null) return "key_missing";
  if (key.pubkey !== log.key.pubkey) return "key_mismatch";
  if (signer.isStopped()) return "signed_elsewhere";
  const recalled = signer.recall();
  if (recalled === "unreadable") return "unreadable";
  const memory = recalled?.origin === log.origin ? recalled : null;
  const stored = await sql.newestCheckpoint.first(read, { origin: log.origin });
  if ((stored?.size ?? 0) > (memory?.size ?? 0)) return "memory_missing";
  const last = memory && { size: memory.size, root: fromHex(memory.root) };
  if (memory !== null && stored?.size !== memory.size) {
    const fault = await storeAgain(context, memory);
    if (fault !== null) return fault;
  } else if (stored !== undefined && last !== null && !isSame(stored.root, last.root))
    return "inconsistent";
  return signNext(context, { signer, key, log }, last);
}

/** After a crash between the memory and the database. Null when it is stored, or why it cannot be. */
async function storeAgain(context: Signing, memory: LogMemory): Promise<LogState | null> {
  const { read } = context;
  const seal = await sql.sealEndingAt.first(read, { to_id: memory.size });
  if (seal !== undefined && toHex(seal.log_root) === memory.root) {
    await store(context, memory, seal.seq);
    return null;
  }
  const head = await sealHead.first(read, {});
  return (head?.last_to_id ?? 0) < memory.size ? "database_behind" : "inconsistent";
}

async function store({ write, clock }: Signing, memory: LogMemory, seq: number): Promise<void> {
  const { origin, size, root, checkpoint: note } = memory;
  const at = clock.now();
  await write((tx) =>
    sql.insertCheckpoint.run(tx, { origin, size, seq, root: fromHex(root), note, at }),
  );
}

interface Signer {
  readonly signer: LogSigner;
  readonly key: SigningKey;
  readonly log: Log;
}

async function signNext(
  context: Signing,
  { signer, key, log }: Signer,
  last: TreeHead | null,
): Promise<LogState> {
  const { read } = context;
  const seal = await signable(read);
  if (seal === undefined || seal.to_id < log.ledger_id || seal.to_id === last?.size) return "ok";
  if (last !== null && seal.to_id < last.size) return "database_behind";
  const next = { origin: log.origin, size: seal.to_id, root: seal.log_root };
  if (last !== null) {
    const proof = await consistencyProof(read, last.size, next.size);
    if (!isConsistent(last, next, proof, inLog)) return "inconsistent";
  }
  const text = checkpointText(next);
  const checkpoint = noteOf(text, [logLine(log.key, fromBase64(key.sign(text)))]);
  const memory = { origin: log.origin, size: next.size, root: toHex(next.root), checkpoint };
  signer.remember(memory);
  await store(context, memory, seal.seq);
  return "ok";
}

async function signable(read: Db) {
  const chain = await sealHead.first(read, {});
  const made = await sql.progress.first(read, {});
  if (chain === undefined || made === undefined || chain.first_broken_seq !== null) return;
  const range = { seq_max: chain.verified_through_seq, size_max: made.size };
  return sql.newestSignable.first(read, range);
}
