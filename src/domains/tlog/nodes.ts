import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import {
  decodeFrontier,
  encodeFrontier,
  type Frontier,
  growWatched,
  HASH_BYTES,
  isSame,
  logNode,
  rootOf,
} from "../../platform/kernel/proof/merkle.ts";
import { TILE_HEIGHT } from "../../platform/kernel/tlog/tiles.ts";
import { leaves } from "../../platform/ledger/entry-queries.ts";
import * as ledger from "../../platform/ledger/queries.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import * as sql from "./queries.ts";

/** Leaves that are hashed at once: few enough that no request waits long. */
const SLICE = 2_048;
/** Entries and seals that one write covers, unless one seal has more. */
const BATCH_ENTRIES = 32_768;
const BATCH_SEALS = 1_000;

const inLog = logNode(sha256);

type Filling = Pick<Context, "read" | "write"> & {
  readonly yieldToRequests: () => Promise<void>;
};

interface Node {
  readonly level: number;
  readonly n: number;
  readonly hash: Uint8Array;
}

/** How far the nodes are made, or the seal whose `log_root` is not that of the entries. */
export type Filled = { readonly size: number } | { readonly broken_seq: number };

/**
 * Makes the nodes of all that is sealed, and compares the root at every seal with its `log_root`. It
 * goes no further than a seal where they differ. Another process that does the same changes nothing.
 */
export async function fillNodes({ read, write, yieldToRequests }: Filling): Promise<Filled> {
  for (;;) {
    const at = await sql.progress.first(read, {});
    if (at === undefined) throw new Error("The log has no progress.");
    const seals = await batchAfter(read, at.seq);
    const last = seals.at(-1);
    if (last === undefined) return { size: at.size };
    let frontier = decodeFrontier(at.frontier, at.size);
    const nodes: Node[] = [];
    for (const { seq, from_id, to_id, log_root } of seals) {
      if (from_id !== frontier.size + 1) return { broken_seq: seq };
      for (let from = from_id; from <= to_id; from += SLICE) {
        const leaves = await leavesOf(read, from, Math.min(to_id, from + SLICE - 1));
        frontier = grownBy(frontier, leaves, nodes);
        if (leaves.length >= SLICE) await yieldToRequests();
      }
      if (frontier.size !== to_id || !isSame(rootOf(frontier, inLog), log_root))
        return { broken_seq: seq };
    }
    await write(async (tx) => {
      const made = { seq: last.seq, size: last.to_id, frontier: encodeFrontier(frontier) };
      if ((await sql.moveProgress.run(tx, { old_seq: at.seq, ...made })) === 0) return;
      await sql.insertNodes(tx, nodes);
    });
    await yieldToRequests();
  }
}

/** The next seals, as many as one write takes. */
async function batchAfter(read: Db, after_seq: number) {
  const seals = await ledger.sealsAfter.all(read, { after_seq, limit: BATCH_SEALS });
  let entries = 0;
  return seals.filter(({ count }, i) => {
    entries += count;
    return i === 0 || entries <= BATCH_ENTRIES;
  });
}

/** The tree with more leaves; what that completes of the levels that are kept goes to `nodes`. */
const grownBy = (frontier: Frontier, leaves: readonly Uint8Array[], nodes: Node[]): Frontier =>
  growWatched(frontier, leaves, inLog, (height, n, hash) => {
    if (height % TILE_HEIGHT === 0) nodes.push({ level: height / TILE_HEIGHT, n, hash });
  });

/** The leaves of entries, both ends included. */
export async function leavesOf(read: Db, from_id: number, to_id: number): Promise<Uint8Array[]> {
  const joined = (await leaves.first(read, { from_id, to_id }))?.hex ?? "";
  const bytes = Buffer.from(joined, "hex");
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
