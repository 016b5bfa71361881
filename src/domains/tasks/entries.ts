import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const task = entryKind({
  kind: "task",
  ref: "<task_id>",
  fields: {
    task_id: field.id,
    title_sha256: field.hex64,
    description_sha256: field.hex64,
    criterion_sha256: field.hex64,
    reward_micro: field.amount,
    max_passes: field.id.optional(),
  },
  readers: {
    route: "/tasks/",
    found: { as: "task", title: "title", texts: ["description", "title"] },
  },
  when: "The operator publishes a task, or the service its starter tasks",
});

const submission = {
  submission_id: field.id,
  task_id: field.id,
  agent: field.agent,
  payload_sha256: field.hex64,
  meaning_sha256: field.hex64.optional(),
};

export const taskPass = entryKind({
  kind: "task_pass",
  ref: "<submission_id>",
  fields: submission,
  readers: { route: "/submission/" },
  when: "`POST /tasks/submit` with an answer that the task's criterion accepts",
});

export const taskFail = entryKind({
  kind: "task_fail",
  ref: "<submission_id>",
  fields: submission,
  readers: { route: "/submission/" },
  when: "`POST /tasks/submit` with any other answer",
});

export const taskClosed = entryKind({
  kind: "task_closed",
  ref: "<task_id>",
  fields: { task_id: field.id, why: field.oneOf(["max_passes", "operator"]) },
  when: "A task has its last pass, or the operator ends it",
});

export const taskPurged = entryKind({
  kind: "task_purged",
  ref: "<task_id>/<n>",
  fields: {
    task_id: field.id,
    from_submission_id: field.id,
    to_submission_id: field.id,
    submissions: field.amount,
    payload_bytes: field.amount,
  },
  when: "The operator empties the payloads of failed submissions to a closed task",
});
