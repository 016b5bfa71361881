import type { Db } from "../../platform/db/engine.ts";
import { bundleOf, TILE_WIDTH, type Tile } from "../../platform/kernel/tlog/tiles.ts";
import { sealedAfter } from "../../platform/ledger/entry-queries.ts";
import { hashesAt } from "./proofs.ts";

/** The bytes of a tile or of a bundle that lies wholly in the tree. */
export async function tileBytes(read: Db, { level, n, width }: Tile): Promise<Uint8Array> {
  const from = n * TILE_WIDTH;
  if (level !== "entries")
    return Buffer.concat(await hashesAt(read, level, { from, to: from + width }));
  const range = { after_id: from, to_id: from + width, limit: width };
  const entries = (await sealedAfter.all(read, range)).map(({ entry }) => Buffer.from(entry));
  if (entries.length === width) return bundleOf(entries);
  throw new Error(`The log lacks entries of bundle ${n}.`);
}
