import type { Context } from "../../context.ts";
import type { Alarm } from "../../kernel/alarms.ts";
import { type Contents, isTurn } from "../../kernel/proof/chain.ts";
import { type Entry, leafOf, parseEntry } from "../../kernel/proof/entry.ts";
import {
  BLOCK_LEAVES,
  blockRootsOf,
  decodeFrontier,
  encodeFrontier,
  encodeTree,
  grow,
  logNode,
  rootOf,
  rootOfTree,
  sealNode,
  treeOf,
} from "../../kernel/proof/merkle.ts";
import { CorruptEntry } from "../../kernel/proof/packed.ts";
import { SEAL_ENTRIES_MAX } from "../../kernel/proof/seal-text.ts";
import type { Seconds } from "../../kernel/time.ts";
import { entryById, sealedAfter } from "../entry-queries.ts";
import * as sql from "../queries.ts";
import { sha256 } from "../sha256.ts";
import { hex, sealHashOf } from "./seals.ts";

/** Every entry is under a seal at most this long after its time, while the service runs. */
export const SEALED_WITHIN_S = 300;

/** Whole blocks, so that slices meet where blocks do; few enough that no request waits long. */
const SLICE = 64 * BLOCK_LEAVES;

/** What a job has beyond a handler. */
export interface JobContext extends Context {
  /** Lets other work of the process run between two slices of a long piece. */
  readonly yieldToRequests: () => Promise<void>;
  /** Tells the operator of something that needs a person. */
  readonly alarm: Alarm;
}

const inSeal = sealNode(sha256);
const inLog = logNode(sha256);

/** A stored entry is not what its leaf says: nothing after it can be sealed. */
class LeafMismatch extends Error {
  readonly ledger_id: number;

  constructor(ledger_id: number) {
    super(`Entry ${ledger_id} does not hash to its leaf.`);
    this.ledger_id = ledger_id;
  }
}

type SealHead = NonNullable<Awaited<ReturnType<typeof sql.sealHead.first>>>;

/**
 * Seals what waits, when it has waited long enough or is enough. Any node may do so at any time:
 * hashing happens before the write, and the head is moved by compare-and-swap. After an entry that
 * is not what its leaf says nothing is sealed. Resolves to what the new seal covers, as it was read and
 * checked, or to null.
 */
export async function sealWhenDue(context: JobContext): Promise<Contents | null> {
  const { read, clock, settings, alarm } = context;
  const head = await sql.sealHead.first(read, {});
  const ledger = await sql.ledgerHead.first(read, {});
  if (head === undefined || ledger === undefined) throw new Error("The ledger has no head.");
  const waiting = ledger.last_id - head.last_to_id;
  if (waiting === 0 || head.first_broken_seq === head.last_seq + 1) return null;
  const oldest = await entryById.first(read, { ledger_id: head.last_to_id + 1 });
  const age_s = clock.now() - (oldest?.at ?? 0);
  if (waiting < settings.sealMaxEntries && age_s < settings.sealInterval_s) return null;
  try {
    return await sealThrough(
      { ...context, origin: settings.origin },
      head,
      Math.min(ledger.last_id, head.last_to_id + SEAL_ENTRIES_MAX),
    );
  } catch (error) {
    if (!(error instanceof LeafMismatch || error instanceof CorruptEntry)) throw error;
    alarm("ledger_violation", { ledger_id: error.ledger_id });
    await context.write((tx) => sql.markBroken.run(tx, { first_broken_seq: head.last_seq + 1 }));
    return null;
  }
}

/** What making a seal takes. */
export interface SealingContext
  extends Pick<JobContext, "read" | "write" | "clock" | "yieldToRequests"> {
  /** The origin line of the seal. */
  readonly origin: string;
}

/** Puts all that waits under one seal, however much it is. Rejects when an entry is not what its leaf says. */
export async function sealEverything(context: SealingContext): Promise<void> {
  const head = await sql.sealHead.first(context.read, {});
  const ledger = await sql.ledgerHead.first(context.read, {});
  if (head === undefined || ledger === undefined) throw new Error("The ledger has no head.");
  await sealThrough(context, head, ledger.last_id);
}

async function sealThrough(
  context: SealingContext,
  head: SealHead,
  to_id: number,
): Promise<Contents | null> {
  const { write, clock, origin } = context;
  const { tree, log, last_at, turns } = await hashEntries(context, head, to_id);
  const root = rootOfTree(tree);
  const facts = {
    seq: head.last_seq + 1,
    at: Math.max(clock.now(), head.last_at, last_at),
    count: to_id - head.last_to_id,
    from_id: head.last_to_id + 1,
    to_id,
    origin,
  };
  const log_root = rootOf(log, inLog);
  const seal_hash = sealHashOf({
    ...facts,
    root: hex(root),
    prev_root: head.last_root && hex(head.last_root),
    prev_seal: head.last_seal_hash && hex(head.last_seal_hash),
    log_root: hex(log_root),
  });

  return write(async (tx) => {
    const moved = await sql.moveSealHead.run(tx, {
      old_seq: head.last_seq,
      last_seq: facts.seq,
      last_to_id: to_id,
      last_at: facts.at,
      last_root: root,
      last_seal_hash: seal_hash,
      frontier: encodeFrontier(log),
    });
    if (moved === 0) return null; // Another node was first.
    const links = { prev_root: head.last_root, prev_seal: head.last_seal_hash };
    await sql.insertSeal.run(tx, { ...facts, ...links, root, log_root, seal_hash });
    await sql.insertTree.run(tx, { seq: facts.seq, levels: encodeTree(tree) });
    const { seq, count } = facts;
    return {
      seq,
      next_id: to_id + 1,
      at: last_at,
      turns,
      log,
      tree: { size: count, roots: [root] },
    };
  });
}

/**
 * The trees over the entries after the head, from the stored texts; leaves are recomputed. That of
 * the seal is over the roots of its blocks.
 */
async function hashEntries(
  { read, yieldToRequests }: SealingContext,
  head: SealHead,
  to_id: number,
) {
  const blocks: Uint8Array[] = [];
  const turns: Entry[] = [];
  let log = decodeFrontier(head.frontier, head.last_to_id);
  let last_at: Seconds = 0;
  let after_id = head.last_to_id;
  while (after_id < to_id) {
    const slice = await sealedAfter.all(read, { after_id, to_id, limit: SLICE });
    const leaves = slice.map(({ ledger_id, kind, at, entry, leaf }, i) => {
      const id = after_id + 1 + i;
      const bytes = Buffer.from(entry);
      if (ledger_id !== id || at < last_at) throw new LeafMismatch(id);
      const computed = leafOf(bytes, sha256);
      if (Buffer.compare(computed, leaf) !== 0) throw new LeafMismatch(id);
      if (isTurn(kind)) turns.push(parseEntry(bytes));
      last_at = at;
      return computed;
    });
    if (leaves.length === 0) throw new LeafMismatch(after_id + 1);
    for (const root of blockRootsOf(leaves, inSeal)) blocks.push(root);
    log = grow(log, leaves, inLog);
    after_id += leaves.length;
    await yieldToRequests();
  }
  return { tree: treeOf(blocks, inSeal), log, last_at, turns };
}
