import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { receiptText } from "../kernel/tlog-checkpoint.ts";
import { currentLog, type Log } from "./log.ts";
import { inclusionProof } from "./proofs.ts";
import * as sql from "./queries.ts";

/** A log and the checkpoint of it that readers get. */
export interface Published {
  readonly log: Log;
  readonly size: number;
  /** The signed note, with every signature that is held. */
  readonly note: string;
}

/** What readers get; null while there is no log, or no checkpoint of it. */
export async function publishedLog(read: Db): Promise<Published | null> {
  const [log, head] = [await currentLog(read), await sql.published.first(read, {})];
  if (log === null || head === undefined || head.origin !== log.origin) return null;
  const checkpoint = await sql.checkpointAt.first(read, head);
  return checkpoint === undefined ? null : { log, size: head.size, note: checkpoint.note };
}

/** The receipt of an entry (c2sp.org/tlog-proof); null while it is under no published checkpoint. */
export async function receiptOf(
  read: Db,
  { size, note }: Pick<Published, "size" | "note">,
  ledger_id: number,
): Promise<string | null> {
  if (!(ledger_id >= 1 && ledger_id <= size)) return null;
  const index = ledger_id - 1;
  return receiptText({ index, path: await inclusionProof(read, index, size), note });
}

/** Gives readers the newest checkpoint. */
export async function publishNewest(
  { read, write }: Pick<Context, "read" | "write">,
  { origin }: Log,
): Promise<void> {
  const newest = await sql.newestCheckpoint.first(read, { origin });
  if (newest === undefined) return;
  const head = await sql.published.first(read, {});
  if (head?.origin === origin && head.size >= newest.size) return;
  await write((tx) => sql.publish.run(tx, { k: 1, origin, size: newest.size }));
}
