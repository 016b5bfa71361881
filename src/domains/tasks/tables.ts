import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { OUTCOMES } from "./rules.ts";

interface TaskTable {
  id: Generated<number>;
  title: string;
  description: string;
  /** Canonical JSON; never changed. */
  criterion: string;
  /** Null: as many as there are agents. */
  max_passes: number | null;
  /** The name of a task that every ledger begins with, or null. */
  starter: string | null;
  submissions_count: number;
  /** Agents that have passed; a second pass of one agent is none. */
  passes: number;
  created_at: Seconds;
  closed_at: Seconds | null;
  /** How often payloads were emptied: the last part of the entry's ref. */
  purges: Generated<number>;
  /** Up to this submission the payloads of all failed ones are empty. */
  purged_through: Generated<number>;
}

interface TaskSubmissionTable {
  id: Generated<number>;
  task: number;
  agent: number;
  outcome: (typeof OUTCOMES)[number];
  /** A text as sent, or the canonical text of any other JSON value; empty once it was purged. */
  payload: string;
  payload_form: "text" | "json";
  payload_bytes: number;
  payload_sha256: string;
  /** Of what a right answer says (`meaningOf`); null where answers of others do not matter. */
  meaning_sha256: string | null;
  created_at: Seconds;
}

export interface TaskTables {
  task: TaskTable;
  task_submission: TaskSubmissionTable;
}
