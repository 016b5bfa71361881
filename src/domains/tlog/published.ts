import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { receiptText } from "../../platform/kernel/tlog/checkpoint.ts";
import type { Policy } from "../../platform/kernel/tlog/policy.ts";
import { currentLog, type Log } from "./log.ts";
import { inclusionProof } from "./proofs.ts";
import * as sql from "./queries.ts";
import { cosignaturesOf, cosignedSizes, unpublish } from "./witness-queries.ts";
import { hasQuorum } from "./witnesses.ts";

/** A log and the checkpoint of it that readers get. */
export interface Published {
  readonly log: Log;
  readonly size: number;
  /** The signed note, with every signature that is held. */
  readonly note: string;
}

/** What readers get; null while there is no log, or no checkpoint of it. */
export async function publishedLog(read: Db): Promise<Published | null> {
  const log = await currentLog(read);
  const head = await sql.published.first(read, {});
  if (log === null || head === undefined || head.origin !== log.origin) return null;
  const checkpoint = await sql.checkpointAt.first(read, head);
  if (checkpoint === undefined) return null;
  const words = await cosignaturesOf.all(read, head);
  const note = checkpoint.note + words.map(({ line }) => `${line}\n`).join("");
  return { log, size: head.size, note };
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

/** The receipt of an entry in the published log; null while that does not hold it. */
export async function receiptAt(read: Db, ledger_id: number): Promise<string | null> {
  const log = await publishedLog(read);
  return log && receiptOf(read, log, ledger_id);
}

/**
 * Gives readers the newest checkpoint that its witnesses have seen, or the newest one where nobody asks
 * for witnesses. One that is not witnessed is taken back: a policy may have come later.
 */
export async function publishWitnessed(
  context: Pick<Context, "read" | "write">,
  { origin }: Log,
  policy: Policy | null,
): Promise<void> {
  const { read, write } = context;
  const head = await sql.published.first(read, {});
  const old_size = head?.origin === origin ? head.size : 0;
  const best =
    policy === null || policy.quorum === null
      ? ((await sql.newestCheckpoint.first(read, { origin }))?.size ?? 0)
      : await newestWitnessed({ read, policy }, origin);
  if (best > old_size) await write((tx) => sql.publish.run(tx, { k: 1, origin, size: best }));
  else if (
    best < old_size &&
    policy !== null &&
    !(await hasQuorum({ read, policy }, { origin, size: old_size }))
  )
    await write((tx) =>
      best === 0 ? unpublish.run(tx, {}) : sql.publish.run(tx, { k: 1, origin, size: best }),
    );
}

/** Checkpoints that are looked at: an older one with a quorum is published already. */
const LOOKED_AT = 16;

async function newestWitnessed(
  { read, policy }: { readonly read: Db; readonly policy: Policy },
  origin: string,
): Promise<number> {
  for (const { size } of await cosignedSizes.all(read, { origin, limit: LOOKED_AT }))
    if (await hasQuorum({ read, policy }, { origin, size })) return size;
  return 0;
}
