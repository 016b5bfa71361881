import { derived } from "../../platform/ledger/rows/columns.ts";
import { type FoldOf, type RowFold, watchedRows } from "../../platform/ledger/rows/fold.ts";
import {
  agentIn,
  columns,
  type Entry,
  numberIn,
  rowName,
  textIn,
} from "../../platform/ledger/rows/told.ts";
import { withFigures } from "../../platform/ledger/rows/with-figures.ts";
import { NO_RECORD, RECORD, type RequestRecord } from "./record.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  request_record: derived("agent", ...RECORD),
  request_pair: derived("answerer", "asker"),
} as const;

/** The replies to a request, and whether it goes on. */
interface Replies {
  /** Whether its asker judges the answers; else the first one ends it. */
  readonly isJudged: boolean;
  asks: number;
  answers: number;
  refused: number;
  isAccepted: boolean;
  isEnded: boolean;
}

/** Requests, each with its answers counted a second time, without the record that the writer counts them by. */
function requests(recorded: RowFold): RowFold {
  const of = new Map<string, Replies>();
  return withFigures(recorded, {
    made(name) {
      const replies = of.get(name) ?? NO_REPLIES;
      const { isJudged, answers, refused, isEnded, isAccepted } = replies;
      return {
        asks: replies.asks,
        offered: isJudged ? answers : 0,
        waiting: isJudged && !isEnded ? answers - refused : 0,
        answers_count: isJudged && !isAccepted ? 0 : answers,
      };
    },
    add(entry) {
      const name = rowName("request", entry.body["request_id"]);
      if (entry.kind === "request")
        of.set(name, { ...NO_REPLIES, isJudged: entry.body["ends"] === "accepted" });
      const replies = of.get(name);
      const reply = REPLIES[entry.kind];
      if (replies === undefined || reply === undefined) return [];
      reply(replies, entry);
      return [name];
    },
  });
}

const NO_REPLIES: Replies = {
  isJudged: false,
  asks: 0,
  answers: 0,
  refused: 0,
  isAccepted: false,
  isEnded: false,
};

/** What each kind of entry changes of the replies to its request. */
const REPLIES: Readonly<Record<string, (replies: Replies, entry: Entry) => void>> = {
  request_answer(replies, { body }) {
    if (body["waits"] === 1) replies.asks++;
    if (body["sort"] === undefined) replies.answers++;
  },
  request_refused: (replies) => void replies.refused++,
  request_accepted(replies) {
    replies.isAccepted = true;
    replies.isEnded = true;
  },
  request_closed(replies) {
    replies.isEnded = true;
  },
  request_withdrawn(replies) {
    replies.isEnded = true;
  },
};

/** Requests, the answers and rewards of each agent as they ended, and the pairs of answerers and askers. */
export function requestFolds(foldOf: FoldOf): readonly RowFold[] {
  const { rows: records, watch: watchRecords } = watchedRows<RequestRecord>();
  const { rows: pairs, watch: watchPairs } = watchedRows();
  const promised = new Set<number>();
  const offered = new Set<number>();
  const add = (agent: string, figure: keyof RequestRecord): void => {
    const name = `record ${agent}`;
    const record = records.get(name) ?? NO_RECORD;
    records.set(name, { ...record, [figure]: record[figure] + 1 });
  };
  function accepted(entry: Entry): void {
    const asker = textIn(entry, "agent");
    const answerer = textIn(entry, "to");
    add(answerer, "answers_accepted");
    add(asker, "accepts_made");
    if (pairs.get(`pair ${answerer} ${asker}`) === undefined) add(answerer, "askers");
    pairs.set(`pair ${answerer} ${asker}`, { answerer, asker });
    if (promised.has(numberIn(entry, "request_id"))) add(asker, "rewards_paid");
  }
  return [
    requests(foldOf("request")),
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
        if (kind === "request_answer" && body["sort"] === undefined) offered.add(id);
        const isBack = kind === "request_closed" || kind === "request_withdrawn";
        if (isBack && promised.has(id) && offered.has(id))
          add(textIn(entry, "agent"), "rewards_returned");
        if (kind === "request_accepted") accepted(entry);
        if (kind === "request_refused") add(textIn(entry, "agent"), "refusals_made");
      },
      made: () => records,
      row: (name) => records.get(name),
      keyIn: (name) => ({ agent: name.slice("record ".length) }),
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
      keyIn: () => ({}),
      watch: watchPairs,
    },
  ];
}
