import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { PlacedEntry } from "../../platform/kernel/contract/entry-kind.ts";
import { entriesAfter } from "../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { project } from "./projector.ts";
import * as sql from "./queries.ts";

/** Entries that one write projects. */
const SLICE = 1_000;

type Filling = Pick<Context, "read" | "write"> & {
  readonly yieldToRequests: () => Promise<void>;
};

/** Whether the inboxes hold what concerns agents since the ledger began. */
export async function isBackfilled(read: Db): Promise<boolean> {
  const progress = await sql.progress.first(read, {});
  return (
    progress !== undefined && progress.through_id >= (progress.to_id ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * Projects the entries that a restore or an import has brought, a slice after the other, beside traffic. A slice that
 * was projected already changes nothing, so two nodes at once do no harm.
 */
export async function fillInboxes({ read, write, yieldToRequests }: Filling): Promise<void> {
  for (;;) {
    const progress = await sql.progress.first(read, {});
    if (progress === undefined) return;
    const { through_id: old_id, to_id } = progress;
    if (to_id === null) {
      const head = (await ledgerHead.first(read, {}))?.last_id ?? 0;
      await write((tx) => sql.fixEnd.run(tx, { to_id: head }));
      continue;
    }
    if (old_id >= to_id) return;
    const entries = await slice(read, old_id, to_id);
    const through_id = entries.at(-1)?.ledger_id ?? to_id;
    await write(async (tx) => {
      if ((await sql.moveProgress.run(tx, { old_id, through_id })) === 1)
        await project(tx, entries);
    });
    await yieldToRequests();
  }
}

/** Lets the job begin again; items that are there stay. */
export async function restartInboxes(tx: Tx): Promise<void> {
  await sql.restart.run(tx, {});
}

/** Forgets every item, and lets the job make them again. */
export async function emptyInboxes(tx: Tx): Promise<void> {
  await sql.deleteItems.run(tx, {});
  await restartInboxes(tx);
}

async function slice(read: Db, after_id: number, to_id: number): Promise<PlacedEntry[]> {
  const rows = await entriesAfter.all(read, { after_id, to_id, limit: SLICE });
  return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) }));
}
