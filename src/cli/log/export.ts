import { join } from "node:path";
import { hashesAt } from "../../domains/tlog/proofs.ts";
import { publishedLog } from "../../domains/tlog/published.ts";
import { tileBytes } from "../../domains/tlog/tile-bytes.ts";
import type { Db } from "../../platform/db/engine.ts";
import { isSame, logNode } from "../../platform/kernel/proof/merkle.ts";
import { rootOfRange } from "../../platform/kernel/tlog/tree.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { checkpointIn, extend } from "./log-folder.ts";

const node = logNode(sha256);

/** What an export came to. */
interface Exported {
  readonly log_origin: string;
  readonly folder: string;
  readonly old_size: number;
  readonly size: number;
  readonly files: number;
}

/** Writes the published log below a folder, as `/tlog` serves it. A Stop when it holds another history. */
export async function exportLog(read: Db, named: string): Promise<Exported> {
  const published = await publishedLog(read);
  if (published === null)
    throw new Stop(REFUSED, "There is no published checkpoint: `cairn log init` begins a log.");
  const { log, size, note } = published;
  const folder = join(named, log.prefix.slice("/tlog".length));
  const there = checkpointIn(folder);
  const old_size = there?.size ?? 0;
  if (there !== null) {
    const isOurs =
      there.origin === log.origin &&
      old_size <= size &&
      isSame(
        await rootOfRange(
          (level, at) => hashesAt(read, level, at),
          { from: 0, to: old_size },
          node,
        ),
        there.root,
      );
    if (!isOurs)
      throw new Stop(
        REFUSED,
        `${folder} holds a checkpoint of ${there.origin} with ${old_size} entries, which this log does not continue.`,
      );
  }
  const { files } = await extend(folder, { old_size, size, note }, (tile) => tileBytes(read, tile));
  return { log_origin: log.origin, folder, old_size, size, files };
}
