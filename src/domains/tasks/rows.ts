import {
  agent,
  begins,
  byDefault,
  count,
  drawn,
  made,
  sealed,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import {
  changes,
  makes,
  ownStatement,
  plus,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import type { Row } from "../../platform/ledger/rows/told.ts";
import * as entries from "./entries.ts";

/** A task, and how often it was tried, passed and emptied. */
const tasks = table("task", {
  id: drawn("task_id"),
  title: text("title_sha256"),
  description: text("description_sha256"),
  criterion: text("criterion_sha256", "criterion"),
  max_passes: sealed("max_passes"),
  starter: unsealed("local"),
  submissions_count: begins(0),
  passes: begins(0),
  created_at: time,
  closed_at: unset,
  purges: byDefault(0),
  purged_through: byDefault(0),
});

const isCounted = ({ payload, payload_bytes }: Row): number =>
  payload === "" || payload_bytes === Buffer.byteLength(`${payload}`) ? 1 : 0;

const submissions = table(
  "task_submission",
  {
    id: drawn("submission_id"),
    task: sealed("task_id"),
    agent: agent("agent"),
    // Whether it is a copy or a repetition the submissions before it say.
    outcome: made(
      "derived",
      ({ outcome }) => outcome,
      ({ kind }) => (kind === "task_pass" ? "passed" : "failed"),
    ),
    payload_form: unsealed("local"),
    payload_bytes: made("derived", isCounted, () => 1),
    payload_sha256: sealed("payload_sha256"),
    meaning_sha256: sealed("meaning_sha256"),
    payload: text("payload_sha256"),
    created_at: time,
  },
  { named: "submission" },
);

const counted = ownStatement(
  "locks the task before the outcome is known: all submissions to it stand in line",
  changes(tasks, { submissions_count: plus(1) }, { only: { closed_at: null } }),
);

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  task: [makes(tasks, { unless: ["starter"] })],
  taskPass: [makes(submissions), counted],
  taskFail: [makes(submissions), counted],
  taskClosed: [changes(tasks, { closed_at: time }, { only: { closed_at: null } })],
  taskPurged: [changes(tasks, { purges: count, purged_through: sealed("to_submission_id") })],
});
