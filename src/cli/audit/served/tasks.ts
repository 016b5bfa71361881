import type * as z from "zod";
import { REWARD } from "../../../coin/rules.ts";
import type { contracts } from "../../../contracts.ts";
import { canonicalJson } from "../../../kernel/canonical.ts";
import { toNumber } from "../../../kernel/money.ts";
import { PAYLOADS_SHOWN_MAX_BYTES } from "../../../tasks/rules.ts";
import { id, jsonOf, SERVICE_TEXT, unverified } from "./board.ts";
import { before, ownId, page } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import {
  agent,
  byId,
  derived,
  type Facts,
  hashed,
  hashedAs,
  is,
  object,
  ofRow,
} from "./compare/rule.ts";
import { newest } from "./ledger.ts";
import { word } from "./reading/clock.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Tasks = Out<typeof contracts.tasks.list>;

const taskRule = ofRow<Tasks["tasks"][number]>("task", byId("task"), {
  id,
  title: hashed("title"),
  description: hashed("description"),
  criterion: hashedAs("criterion", (shown) => canonicalJson(jsonOf(shown))),
  reward: object<{ coin: number }>({ coin: rule.always(toNumber(REWARD)) }),
  status: word(["open", "closed"], ({ row }) => (row["closed_at"] === null ? "open" : "closed")),
  passes: is("passes"),
  max_passes: is("max_passes"),
  submissions_count: is("submissions_count"),
  created_at: is("created_at"),
  closed_at: is("closed_at"),
  request_line: rule.untold(SERVICE_TEXT),
  purged_through_id: derived(({ row }) => row["purged_through"] || null),
});

const open = page("tasks", {
  key: ownId,
  each: taskRule,
  first: ({ ledger }, n) =>
    newest(ledger.ids("task"), {
      limit: n,
      where: (task) => ledger.row("task", `task ${task}`)?.["closed_at"] === null,
    }),
});

export const taskList = object<Tasks>({
  tasks: open.items,
  count: open.count,
  more: open.more,
  next: open.next,
});

type TaskPage = Out<typeof contracts.tasks.get>;

const payloadText = (shown: unknown): string =>
  typeof shown === "string" ? shown : canonicalJson(jsonOf(shown));

const PASSED: readonly unknown[] = ["passed", "repeated"];

/** Whether the payload has to be shown; null if only the criterion decides, or the page is full. */
function isPublic({ row, ledger, bytes }: Facts): boolean | null {
  const closed_at = ledger.row("task", `task ${Number(row?.["task"])}`)?.["closed_at"];
  if (row === null || row["payload"] !== row["payload_sha256"]) return false;
  if (PASSED.includes(row["outcome"]) && closed_at === null) return false;
  if (bytes > PAYLOADS_SHOWN_MAX_BYTES / 2) return null;
  return row["outcome"] === "copied" && closed_at === null ? null : true;
}

/** A payload that is public has the hash that was sealed. */
const payload: rule.Rule<unknown> = {
  see(shown, facts, seen, path) {
    const isShown = isPublic(facts);
    if (shown === null) seen.compare(path, null, isShown === true ? "a payload" : null);
    else if (isShown === false) seen.compare(path, shown, null);
    else hashedAs("payload_sha256", payloadText).see?.(shown, facts, seen, path);
  },
};

export const submissionRule = ofRow<TaskPage["submissions"][number]>(
  "task_submission",
  byId("submission"),
  {
    id,
    task_id: is("task"),
    agent: agent("agent"),
    passed: derived(({ row }) => PASSED.includes(row["outcome"])),
    payload_sha256: is("payload_sha256"),
    payload_bytes: derived(({ of }) =>
      of["payload"] === null
        ? Number(of["payload_bytes"]) // Of a payload that is not shown only the hash is sealed.
        : Buffer.byteLength(payloadText(of["payload"])),
    ),
    payload,
    created_at: is("created_at"),
    verified: unverified,
  },
);

const submissions = page("submissions", {
  key: ownId,
  each: submissionRule,
  first: (facts, n) =>
    newest(facts.ledger.idsBy("task_submission", "task", facts.asked["task_id"]), {
      ...before(facts),
      limit: n,
    }),
});

export const taskPage = object<TaskPage>({
  task: taskRule,
  submissions: submissions.items,
  count: submissions.count,
  more: submissions.more,
  next: submissions.next,
});
