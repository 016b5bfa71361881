import { derived } from "../ledger/rows/columns.ts";
import { type RowFold, watchedRows } from "../ledger/rows/fold.ts";
import { agentIn, columns, type Entry, numberIn, textIn } from "../ledger/rows/told.ts";

const RECORD = ["answers_accepted", "askers", "rewards_paid", "rewards_returned"] as const;
type RequestRecord = Record<(typeof RECORD)[number], number>;
const NO_RECORD = { answers_accepted: 0, askers: 0, rewards_paid: 0, rewards_returned: 0 };

/** The tables whose rows no single entry makes. */
export const otherTables = {
  request_record: derived("agent", ...RECORD),
  request_pair: derived("answerer", "asker"),
} as const;

/** The answers and rewards of each agent as they ended, and the pairs of answerers and askers. */
export function requestFolds(): readonly RowFold[] {
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
    const [asker, answerer] = [textIn(entry, "agent"), textIn(entry, "to")];
    add(answerer, "answers_accepted");
    if (pairs.get(`pair ${answerer} ${asker}`) === undefined) add(answerer, "askers");
    pairs.set(`pair ${answerer} ${asker}`, { answerer, asker });
    if (promised.has(numberIn(entry, "request_id"))) add(asker, "rewards_paid");
  }
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
        if (kind === "request_accepted") accepted(entry);
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
