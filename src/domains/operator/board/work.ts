import * as z from "zod";
import { questAdd, questClose, taskClose } from "../acts/work.ts";
import { AGENT, CREATED, ID, POST } from "../columns.ts";
import { type Column, list, offered, thing } from "../look.ts";
import { id, onOrOff } from "../values.ts";
import * as sql from "./work-queries.ts";

/** Shown beside one task or quest. */
const BESIDE_MAX = 50;

const NEWEST = Number.MAX_SAFE_INTEGER;
const TITLE: Column = { key: "title", title: "title", as: "text" };
const CLOSED: Column = { key: "closed_at", title: "closed", as: "time" };
const PASSES: readonly Column[] = [
  { key: "passes", title: "passes", as: "number" },
  { key: "max_passes", title: "of", as: "number" },
  { key: "submissions_count", title: "submissions", as: "number" },
];
const BOUNTY: readonly Column[] = [
  { key: "bounty_days", title: "bounty, days", as: "number" },
  { key: "awards", title: "awards", as: "number" },
  { key: "deadline_at", title: "deadline", as: "time" },
];
const closedOnes = { closed: onOrOff.describe("those that are closed") };
const itsId = { id: id.describe("its id") };

const taskList = list({
  name: "task list",
  summary: "list open tasks, newest first",
  about: "`cairn task add` publishes one: its criterion is a file, and is tried first.",
  input: z.object(closedOnes),
  columns: [{ ...ID, opens: "task show" }, TITLE, ...PASSES, CREATED, CLOSED],
  goesOn: "before",
  rows: ({ read }, { closed }, { limit, from: before = NEWEST }) =>
    sql.tasks.all(read, { closed: closed || undefined, before, limit }),
});

const taskShow = thing({
  name: "task show",
  summary: "show a task with its criterion and its newest submissions",
  acts: ({ row: { id, closed_at } }) => (closed_at === null ? [offered(taskClose, { id })] : []),
  input: z.object(itsId),
  operands: ["id"],
  columns: [
    { ...ID, title: "task" },
    TITLE,
    ...PASSES,
    CREATED,
    CLOSED,
    { key: "description", title: "description", as: "text" },
    { key: "criterion", title: "criterion", as: "text" },
  ],
  async see({ read, reject }, { id: task }) {
    const [row, rows] = await Promise.all([
      sql.taskById.first(read, { id: task }),
      sql.submissions.all(read, { task, limit: BESIDE_MAX }),
    ]);
    if (row === undefined) return reject("task_not_found", "There is no task with this id.");
    const title = `Submissions, the newest ${BESIDE_MAX}`;
    return { row, lists: [{ name: "submissions", title, columns: SUBMISSIONS, rows }] };
  },
});

const SUBMISSIONS: readonly Column[] = [
  ID,
  AGENT,
  { key: "outcome", title: "outcome", as: "word" },
  { key: "payload_bytes", title: "payload", as: "bytes" },
  CREATED,
];

const questList = list({
  name: "quest list",
  summary: "list open quests, newest first; one past its deadline is open until you close it",
  acts: () => [offered(questAdd)],
  input: z.object(closedOnes),
  columns: [{ ...ID, opens: "quest show" }, TITLE, ...BOUNTY, CREATED, CLOSED],
  goesOn: "before",
  rows: ({ read }, { closed }, { limit, from: before = NEWEST }) =>
    sql.quests.all(read, { closed: closed || undefined, before, limit }),
});

const questShow = thing({
  name: "quest show",
  summary: "show a quest with its awards",
  acts: ({ row: { id, closed_at } }) => (closed_at === null ? [offered(questClose, { id })] : []),
  input: z.object(itsId),
  operands: ["id"],
  columns: [
    { ...ID, title: "quest" },
    TITLE,
    ...BOUNTY,
    CREATED,
    CLOSED,
    { key: "description", title: "description", as: "text" },
  ],
  async see({ read, reject }, { id: quest }) {
    const [row, rows] = await Promise.all([
      sql.questById.first(read, { id: quest }),
      sql.awards.all(read, { quest, limit: BESIDE_MAX }),
    ]);
    if (row === undefined) return reject("quest_not_found", "There is no quest with this id.");
    const title = `Awards, ${BESIDE_MAX} at most`;
    return { row, lists: [{ name: "awarded", title, columns: AWARDS, rows }] };
  },
});

const AWARDS: readonly Column[] = [
  AGENT,
  { key: "days", title: "days", as: "number" },
  POST,
  { key: "granted_at", title: "awarded", as: "time" },
];

export const WORK_LOOKS = [taskList, taskShow, questList, questShow];
