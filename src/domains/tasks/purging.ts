import type { Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { decideChange } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { taskPurged } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";

/** Payloads that one write empties: at most 32 MiB, so that others do not wait long. */
const PURGE_MAX = 500;

/** What a purge has freed. */
export interface PurgedPayloads {
  readonly submissions: number;
  readonly payload_bytes: number;
}

/**
 * Empties the payloads of all failed submissions to a closed task, copies among them. Their hashes and
 * sizes stay. Each write has an entry `task_purged` that names the submissions, so that an audit knows
 * why their texts are missing; a purge that was cut off goes on where it ended. Null when the task is
 * still open. Rejects with `task_not_found`.
 */
export async function purgeTask(
  context: Pick<Context, "write" | "clock"> & Rejects<"task_not_found">,
  task_id: number,
): Promise<PurgedPayloads | null> {
  const freed = { submissions: 0, payload_bytes: 0 };
  for (;;) {
    const slice = await context.write((tx) => purgeSlice({ ...context, tx }, task_id));
    if (slice === null) return null;
    freed.submissions += slice.submissions;
    freed.payload_bytes += slice.payload_bytes;
    if (slice.submissions < PURGE_MAX) return freed;
  }
}

async function purgeSlice(
  { tx, clock, reject }: Pick<Context, "clock"> & { readonly tx: Tx } & Rejects<"task_not_found">,
  task_id: number,
): Promise<PurgedPayloads | null> {
  const now = clock.now();
  const task = await sql.taskForPurge.first(tx, { id: task_id });
  const range = { task: task_id, after_id: task?.purged_through ?? 0 };
  const failed = await sql.failedAfter.all(tx, { ...range, limit: PURGE_MAX });
  const [first, last] = [failed.at(0), failed.at(-1)];
  const before = {
    found: task && { isClosed: task.closed_at !== null, purges: task.purges },
    slice: { from: first?.id, to: last?.id, count: failed.length },
  };
  const ids = { from_submission_id: first?.id ?? 0, to_submission_id: last?.id ?? 0 };
  const body = { task_id, ...(last && ids), submissions: failed.length };
  const purging = { body, now, n: (task?.purges ?? 0) + 1, same: "open" } as const;
  if (!decideChange({ reject }, taskPurged, before, purging)) return null;
  const payload_bytes = failed.reduce((sum, row) => sum + row.payload_bytes, 0);
  const freed = { submissions: failed.length, payload_bytes };
  if (last === undefined) return freed;
  await sql.emptyPayloads.run(tx, { ...range, to_id: last.id });
  await enactSurely(tx, rows.taskPurged, { task_id, ...ids, ...freed }, now);
  return freed;
}
