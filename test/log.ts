import assert from "node:assert/strict";
import { leafOf } from "../src/platform/kernel/proof/entry.ts";
import {
  EMPTY_FRONTIER,
  grow,
  isSame,
  logNode,
  rootOf,
} from "../src/platform/kernel/proof/merkle.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../src/platform/kernel/tlog/checkpoint.ts";
import { isSignedBy, type NoteKey } from "../src/platform/kernel/tlog/note.ts";
import { entriesOf, type Tile, tilePath, tilesBetween } from "../src/platform/kernel/tlog/tiles.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import type { TestService } from "./service.ts";

/** The bytes at an address of a log. */
export type Fetch = (path: string) => Promise<Buffer>;

/** The log of a service. */
export const logAt =
  ({ url }: Pick<TestService, "url">, prefix = "/tlog"): Fetch =>
  async (path) => {
    const answer = await fetch(`${url}${prefix}/${path}`);
    assert.equal(answer.status, 200, path);
    return Buffer.from(await answer.arrayBuffer());
  };

/** The checkpoint of a log, whose signature was checked where a key is given. */
export async function checkpointOf(log: Fetch, key: NoteKey | null): Promise<SignedCheckpoint> {
  const checkpoint = parseCheckpoint((await log("checkpoint")).toString());
  assert(checkpoint !== null);
  if (key !== null) assert(isSignedBy({ verifySignature }, key, checkpoint.note));
  return checkpoint;
}

/** Every entry of a log, by its bundles; their leaves are those of the tiles and lead to the root. */
export async function entriesOfLog(log: Fetch, head: SignedCheckpoint): Promise<Buffer[]> {
  const entries: Buffer[] = [];
  for (const tile of tilesBetween("entries", 0, head.size)) {
    const bundle = entriesOf(await log(tilePath(tile)), tile.width);
    assert(bundle !== null, tilePath(tile));
    const leaves = bundle.map((entry) => leafOf(entry, sha256));
    const hashes: Tile = { ...tile, level: 0 };
    assert(isSame(Buffer.concat(leaves), await log(tilePath(hashes))), tilePath(hashes));
    entries.push(...bundle.map((entry) => Buffer.from(entry)));
  }
  const node = logNode(sha256);
  const leaves = entries.map((entry) => leafOf(entry, sha256));
  assert(isSame(rootOf(grow(EMPTY_FRONTIER, leaves, node), node), head.root));
  return entries;
}
