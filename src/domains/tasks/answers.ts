import type * as z from "zod";
import type { Db } from "../../platform/db/engine.ts";
import { amountOut } from "../../platform/kernel/contract/amounts.ts";
import { REWARD } from "../coin/rules.ts";
import type { tasks } from "./contract.ts";
import { type Criterion, type Part, partsOf } from "./criterion.ts";
import * as sql from "./queries.ts";
import { PAYLOADS_SHOWN_MAX_BYTES, requestLine } from "./rules.ts";

type Shown = z.output<typeof tasks.get.output>;
export type ShownTask = Shown["task"];
export type ShownSubmission = Shown["submissions"][number];

export type StoredTask = NonNullable<Awaited<ReturnType<typeof sql.taskById.first>>>;
type StoredSubmission = Awaited<ReturnType<typeof sql.submissions.all>>[number];

/** A task as every answer shows it. */
export function showTask(
  { starter: _, purges: __, purged_through, ...task }: StoredTask,
  baseUrl: string,
): ShownTask {
  const criterion: Criterion = JSON.parse(task.criterion);
  const form = partsOf(criterion).some(({ kind }) => JSON_KINDS.has(kind)) ? "json" : "text";
  return {
    ...task,
    criterion,
    reward: { coin: REWARD_COIN },
    status: task.closed_at === null ? "open" : "closed",
    request_line: requestLine(baseUrl, task.id, form),
    purged_through_id: purged_through || null,
  };
}

/** Checks that read a JSON value; every other kind reads a text. */
const JSON_KINDS: ReadonlySet<Part["kind"]> = new Set(["json_schema", "json_pointer"]);

const REWARD_COIN = amountOut<"coin">().encode(REWARD);

/** A submission as every answer shows it. */
export function showSubmission(stored: StoredSubmission): ShownSubmission {
  const { agent_id, handle, outcome, payload, payload_form, ...rest } = stored;
  return {
    ...rest,
    agent: { agent_id, handle },
    passed: outcome === "passed" || outcome === "repeated",
    payload: payload === null || payload_form === "text" ? payload : JSON.parse(payload),
    verified: false,
  };
}

/** Submissions to a task, newest first. The payloads are anybody's, so one answer holds only so much of them. */
export async function newestSubmissions(
  read: Db,
  which: Parameters<typeof sql.submissions.all>[1],
): Promise<ShownSubmission[]> {
  let left_bytes = PAYLOADS_SHOWN_MAX_BYTES;
  const rows = await sql.submissions.all(read, which);
  return rows.map((row) => {
    if (row.payload !== null) left_bytes -= row.payload_bytes;
    return showSubmission(left_bytes < 0 ? { ...row, payload: null } : row);
  });
}
