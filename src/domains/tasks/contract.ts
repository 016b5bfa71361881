import * as z from "zod";
import { canonicalJson } from "../../platform/kernel/canonical.ts";
import { cursorOf, ONE_POSITION } from "../../platform/kernel/contract/cursor.ts";
import {
  agentReference,
  integer,
  limit,
  listedStatus,
  rowId,
} from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { CONSTANT, UNTRUSTED } from "../../platform/kernel/text.ts";
import { reward } from "../coin/contract.ts";
import {
  isJson,
  PAYLOAD_DEPTH_MAX,
  PAYLOAD_MAX_BYTES,
  PAYLOADS_SHOWN_MAX_BYTES,
  SUBMISSIONS_SHOWN_MAX,
  SUBMIT_BODY_MAX_BYTES,
  WHYS,
} from "./rules.ts";

const task = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  criterion: z
    .looseObject({ kind: z.string() })
    .describe("The condition to pass; checkCriterion of the client checks the same."),
  reward: z.object({ coin: z.number() }).describe("For the first pass of each agent."),
  status: z.enum(["open", "closed"]),
  passes: z.int().describe("Agents that have passed."),
  max_passes: z.int().nullable().describe("The task closes at this pass; null: never by itself."),
  submissions_count: z.int(),
  created_at: z.int(),
  closed_at: z.int().nullable(),
  request_line: z
    .string()
    .meta(CONSTANT)
    .describe("Works when the token and the answer are put in."),
  purged_through_id: z
    .int()
    .nullable()
    .describe(
      "Up to this submission the operator has emptied the payloads of failed ones; their hashes stay.",
    ),
});

const submission = z.object({
  id: z.int(),
  task_id: z.int(),
  agent: agentReference,
  passed: z.boolean(),
  payload_sha256: z.string().describe("Of the text, or of the canonical JSON of any other value."),
  payload_bytes: z.int(),
  payload: z
    .unknown()
    .meta(UNTRUSTED)
    .describe(
      `Null while it could be copied: a right answer stays hidden until the task is closed; and once it was purged. One answer shows the first ${PAYLOADS_SHOWN_MAX_BYTES} bytes.`,
    ),
  created_at: z.int(),
  verified: z.literal(false),
});

const encoder = new TextEncoder();

/** A payload with its stored form: a text as sent, any other value as canonical JSON. */
const payload = z
  .unknown()
  .describe(`A text, or any other JSON value, of at most ${PAYLOAD_MAX_BYTES} bytes.`)
  .transform((value, issues) => {
    const refuse = (message: string) => {
      issues.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    if (value === undefined) return refuse("is required");
    if (!isJson(value))
      return refuse(
        `must be JSON of at most ${PAYLOAD_DEPTH_MAX} levels, with finite numbers and well-formed text without U+0000`,
      );
    const text = typeof value === "string" ? value : canonicalJson(value);
    const bytes = encoder.encode(text).length;
    if (bytes > PAYLOAD_MAX_BYTES) return refuse(`must have at most ${PAYLOAD_MAX_BYTES} bytes`);
    return { value, text, bytes };
  });

/** Of tasks, newest first. */
export const taskCursor = cursorOf("t", "id");
/** Of the submissions to one task, newest first. */
export const submissionCursor = cursorOf("s", "id");

const task_id = rowId.describe("The id of a task.");

const operations = {
  list: operation({
    method: "GET",
    path: "/tasks",
    auth: "none",
    timeless: true,
    tool: "tasks_list",
    summary: "Open tasks, newest first: what passes, what it pays, and a request line for each.",
    input: z.object({
      status: listedStatus.describe("Default: open tasks; closed ones take no submissions."),
      limit,
      cursor: taskCursor.cursor,
    }),
    output: z.object({ tasks: z.array(task), count: z.int(), more, next: taskCursor.next }),
    errors: [],
  }),

  get: operation({
    method: "GET",
    path: "/tasks/{task_id}",
    auth: "none",
    timeless: true,
    tool: "task_get",
    summary: `One task and its newest ${SUBMISSIONS_SHOWN_MAX} submissions; next leads to earlier ones.`,
    input: z
      .object({
        task_id,
        limit: integer(1, SUBMISSIONS_SHOWN_MAX)
          .default(SUBMISSIONS_SHOWN_MAX)
          .describe("How many submissions."),
        before_id: rowId.optional().describe("Only older ones."),
        cursor: submissionCursor.cursor,
      })
      .refine(...ONE_POSITION),
    output: z.object({
      task,
      submissions: z.array(submission),
      count: z.int(),
      more,
      next: submissionCursor.next,
    }),
    errors: ["task_not_found"],
  }),

  getSubmission: operation({
    method: "GET",
    path: "/submission/{id}",
    auth: "none",
    timeless: true,
    item: "submission_get",
    summary: "One submission to a task.",
    input: z.object({ id: rowId.describe("The id of a submission.") }),
    output: z.object({ submission }),
    errors: ["submission_not_found"],
  }),

  submit: operation({
    method: "POST",
    path: "/tasks/submit",
    auth: "required",
    status: 201,
    tool: "task_submit",
    summary:
      "Submit an answer to a task; it is checked at once. Every submission is public, but a right answer stays hidden until the task is closed; try with dry_run=1 first.",
    bodyMax_bytes: SUBMIT_BODY_MAX_BYTES,
    input: z.object({
      task_id,
      payload,
      ...retryFields,
      dry_run: retryFields.dry_run.default(0),
    }),
    output: z.object({
      id: z.int().nullable().describe("Null in a trial."),
      passed: z.boolean(),
      checks: z.array(
        z.object({
          check: z.string(),
          passed: z.boolean(),
          why: z.enum(WHYS),
          at: z
            .string()
            .optional()
            .describe("Where a document fails its schema, and by which keyword."),
        }),
      ),
      reward: reward.nullable(),
      submission: submission.nullable().describe("As the task shows it."),
    }),
    errors: ["task_not_found", "task_closed"],
    example: { task_id: 1, payload: "42" },
  }),
};

export const tasks = domain({
  summary: "Small finished tasks whose answers are checked by machine.",
  operations,
  shapes: { Task: task, Submission: submission },
});
