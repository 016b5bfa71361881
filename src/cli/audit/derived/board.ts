import { watchedRows } from "../../../ledger/rows/fold.ts";
import {
  columns,
  type Entry,
  type Made,
  near,
  numberIn,
  rowName,
  textIn,
} from "../../../ledger/rows/told.ts";
import { sha256Hex } from "../../../ledger/sha256.ts";
import { agentIn, countIn, entryRows, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const requests = (): DerivedTable =>
  entryRows({
    table: "request",
    kinds: ["request"],
    id: numbered("request", "request_id"),
    columns: { agent: "agent", meant_for: "to", closes_at: "closes_at" },
    agents: ["agent", "meant_for"],
    hashed: { text: "text_sha256", parts: "parts_sha256", capability: "capability_sha256" },
    newly: { flagged: "flagged" },
    times: ["created_at"],
    more: {
      row: (row) => ({
        ...columns(row, "status", "status_at", "withdrawn_by", "answers_count", "messages_count"),
        ...columns(row, "own_answers_count", "answered_by", "wanted", "wants"),
        ...columns(row, "ends", "reward", "questions", "waiting", "asks", "accepted_by"),
        ...columns(row, "overdue", "offered"),
      }),
      entry: ({ at, body }) => ({
        ...{ status: "open", status_at: near(at), withdrawn_by: null },
        ...{ answers_count: 0, messages_count: 0, waiting: 0, asks: 0 },
        ...{ own_answers_count: 0, answered_by: null, wanted: 1, wants: 0 },
        ...{ ends: body["ends"] ?? "first", reward: body["reward_micro"] ?? 0 },
        ...{ questions: body["questions"] ?? 0, accepted_by: null, overdue: 0, offered: 0 },
      }),
    },
    later: {
      of: ({ kind, body }) =>
        kind.startsWith("request_") ? [rowName("request", body["request_id"])] : [],
      figures: (entry, before) => REQUEST[entry.kind]?.(entry, before) ?? {},
    },
  });

const REQUEST: Readonly<Record<string, (entry: Entry, before: Made) => Made>> = {
  request_answer: ({ at, body }, before) => {
    const { status, answers_count, own_answers_count, ends } = before;
    if (body["waits"] === 1) return { asks: Number(before["asks"]) + 1 };
    if (body["sort"] !== undefined) return {};
    // One of the asker itself leaves the request open, and says so since it does.
    if (body["open"] === 1) return { own_answers_count: Number(own_answers_count) + 1 };
    if (ends === "accepted")
      return { offered: Number(before["offered"]) + 1, waiting: Number(before["waiting"]) + 1 };
    const counted = { answers_count: Number(answers_count) + 1 };
    if (status !== "open") return counted;
    const closed: Made = {
      status: "answered",
      status_at: near(at),
      answered_by: body["answer_id"],
    };
    return { ...counted, ...closed, wanted: 0 };
  },
  request_wanted: (entry) => ({ wanted: entry.body["wanted"], wants: countIn(entry) }),
  request_accepted: ({ at, body }, { offered }) => ({
    ...{ status: "answered", status_at: near(at), answered_by: body["answer_id"] },
    ...{ accepted_by: body["by"], wanted: 0, waiting: 0, answers_count: offered },
  }),
  request_refused: (_, { waiting }) => ({ waiting: Number(waiting) - 1 }),
  request_closed: ({ at }) => ({
    ...{ status: "withdrawn", status_at: near(at), withdrawn_by: "asker", overdue: 1 },
    ...{ wanted: 0, waiting: 0 },
  }),
  request_withdrawn: ({ at, body }) => ({
    ...{ status: "withdrawn", status_at: near(at), withdrawn_by: body["by"] },
    ...{ wanted: 0, waiting: 0 },
  }),
  request_message: (entry) => ({ messages_count: countIn(entry) }),
};

const RECORD = ["answers_accepted", "askers", "rewards_paid", "rewards_returned"] as const;
type RequestRecord = Record<(typeof RECORD)[number], number>;
const NO_RECORD = { answers_accepted: 0, askers: 0, rewards_paid: 0, rewards_returned: 0 };

/** The answers and rewards of each agent as they ended, and the pairs of answerers and askers. */
function requestRecords(): readonly DerivedTable[] {
  const { rows: records, watch: watchRecords } = watchedRows<RequestRecord>();
  const { rows: pairs, watch: watchPairs } = watchedRows();
  const promised = new Set<number>();
  const offered = new Set<number>();
  const add = (agent: string, figure: keyof RequestRecord): void => {
    const name = `record ${agent}`;
    const record = records.get(name) ?? NO_RECORD;
    records.set(name, { ...record, [figure]: record[figure] + 1 });
  };
  return [
    {
      table: "request_record",
      stands: "at_commit",
      stored: (row, agentOf) => [
        `record ${agentIn(row, "agent", agentOf)}`,
        columns(row, ...RECORD),
      ],
      add(entry) {
        const { kind, body } = entry;
        const id = numberIn(entry, "request_id");
        if (kind === "request" && body["reward_micro"] !== undefined) promised.add(id);
        if (kind === "request_answer" && body["own"] === 0 && body["sort"] === undefined)
          offered.add(id);
        const isBack = kind === "request_closed" || kind === "request_withdrawn";
        if (isBack && promised.has(id) && offered.has(id))
          add(textIn(entry, "agent"), "rewards_returned");
        if (kind !== "request_accepted") return;
        const [asker, answerer] = [textIn(entry, "agent"), textIn(entry, "to")];
        add(answerer, "answers_accepted");
        if (pairs.get(`pair ${answerer} ${asker}`) === undefined) add(answerer, "askers");
        pairs.set(`pair ${answerer} ${asker}`, { answerer, asker });
        if (promised.has(id)) add(asker, "rewards_paid");
      },
      made: () => records,
      row: (name) => records.get(name),
      watch: watchRecords,
    },
    {
      table: "request_pair",
      stands: "at_commit",
      stored: (row, agentOf) => {
        const pair = {
          answerer: agentIn(row, "answerer", agentOf),
          asker: agentIn(row, "asker", agentOf),
        };
        return [`pair ${pair.answerer} ${pair.asker}`, pair];
      },
      made: () => pairs,
      row: (name) => pairs.get(name),
      watch: watchPairs,
    },
  ];
}

const followUps = (): DerivedTable =>
  entryRows({
    table: "request_message",
    kinds: ["request_message"],
    id: {
      row: ({ request, n }) => `message ${request}/${n}`,
      entry: ({ ref }) => `message ${ref}`,
    },
    hashed: { text: "text_sha256", parts: "parts_sha256" },
    newly: { flagged: "flagged" },
    times: ["created_at"],
  });

const answers = (): DerivedTable =>
  entryRows({
    table: "request_answer",
    kinds: ["request_answer"],
    id: numbered("answer", "answer_id"),
    columns: { request: "request_id", agent: "agent" },
    agents: ["agent"],
    hashed: { answer: "answer_sha256" },
    newly: { flagged: "flagged" },
    times: ["created_at"],
    more: {
      row: (row) => ({
        ...columns(row, "sort", "refused_at"),
        reason: row["reason"] === null ? null : sha256Hex(String(row["reason"])),
      }),
      entry: ({ body }) => ({ sort: body["sort"] ?? "answer", refused_at: null, reason: null }),
    },
    later: {
      of: ({ kind, body }) =>
        kind === "request_refused" ? [rowName("answer", body["answer_id"])] : [],
      figures: ({ at, body }) => ({ refused_at: near(at), reason: body["reason_sha256"] }),
    },
  });

/** A task, and how often it was tried, passed and emptied. */
function tasks(): DerivedTable {
  const passed = new Set<string>();
  const isFirst = (entry: Entry): boolean =>
    passed.size < passed.add(`${textIn(entry, "task_id")} ${textIn(entry, "agent")}`).size;
  return entryRows({
    table: "task",
    kinds: ["task"],
    id: numbered("task", "task_id"),
    columns: { max_passes: "max_passes" },
    hashed: {
      ...{ title: "title_sha256", description: "description_sha256" },
      criterion: "criterion_sha256",
    },
    times: ["created_at"],
    more: {
      row: (row) =>
        columns(row, "closed_at", "submissions_count", "passes", "purges", "purged_through"),
      entry: () => ({
        ...{ closed_at: null, submissions_count: 0, passes: 0, purges: 0, purged_through: 0 },
      }),
    },
    later: {
      of: ({ kind, body }) => (kind.startsWith("task_") ? [rowName("task", body["task_id"])] : []),
      figures(entry, { submissions_count, passes }) {
        const { kind, at, body } = entry;
        if (kind === "task_closed") return { closed_at: near(at) };
        if (kind === "task_purged")
          return { purges: countIn(entry), purged_through: body["to_submission_id"] };
        const tried = { submissions_count: Number(submissions_count) + 1 };
        if (kind === "task_fail") return tried;
        return kind === "task_pass" && isFirst(entry)
          ? { ...tried, passes: Number(passes) + 1 }
          : tried;
      },
    },
  });
}

/** What agents ask and answer. */
export const boardTables = (): readonly DerivedTable[] => [
  requests(),
  ...requestRecords(),
  followUps(),
  answers(),
  tasks(),
];
