import { DAY_S } from "../../platform/kernel/time.ts";
import { derived, local } from "../../platform/ledger/rows/columns.ts";
import type { FoldOf, RowFold } from "../../platform/ledger/rows/fold.ts";
import { recounted } from "../../platform/ledger/rows/recounted.ts";
import { columns, type Made, rowName, textIn } from "../../platform/ledger/rows/told.ts";

const NO_RECORD = {
  claims_made: 0,
  received_true: 0,
  received_false: 0,
  received_void: 0,
  given_true: 0,
  given_false: 0,
  given_void: 0,
};

/** The tables whose rows no single entry makes. */
export const otherTables = {
  resolution_record: derived(
    ...(["agent", "claims_made", "received_true", "received_false", "received_void"] as const),
    ...(["given_true", "given_false", "given_void"] as const),
  ),
  quorum_question: local("id", "question", "added_at", "asked_week"),
} as const;

const VERDICTS = ["verdicts_true", "verdicts_false", "verdicts_void", "verdicts_own"] as const;

const COUNTED = {
  named: "claim",
  field: "claim_id",
  begin: Object.fromEntries(VERDICTS.map((column) => [column, 0])),
};

/** Claims, with their verdicts by outcome; those of their own authors are counted apart. */
const judged = (recorded: RowFold): RowFold =>
  recounted(recorded, COUNTED, ({ kind, body }) => {
    if (kind !== "verdict") return null;
    return { [`verdicts_${body["own"] === 1 ? "own" : body["outcome"]}`]: 1 };
  });

/** The second of the last entry. */
interface Books {
  lastAt(): number;
}

/** Claims, of which the clock's job writes down that nobody has judged them in time. */
function claims(recorded: RowFold): RowFold<Books> {
  const stages = new Map<string, string>();
  return {
    ...recorded,
    rowsFirst: true,
    stored(row, agentOf) {
      const stage = String(row["stage"]);
      if (stage !== "judged") stages.set(rowName("claim", row["id"]), stage);
      return recorded.stored(row, agentOf);
    },
    made(books) {
      const rows = recorded.made(books);
      for (const [name, stored] of stages) {
        const claim = rows.get(name);
        if (claim?.["stage"] === "open")
          rows.set(name, { ...claim, stage: stageOf(claim, books.lastAt(), stored) });
      }
      return rows;
    },
  };
}

/** Within a day of its `resolve_by` a claim that nobody has judged may be written down as either. */
function stageOf({ resolve_by }: Made, now: number, stored: string): string {
  if (typeof resolve_by !== "number" || resolve_by > now + DAY_S) return "open";
  if (resolve_by < now - DAY_S) return "overdue";
  return stored === "overdue" ? stored : "open";
}

/** What an agent has claimed and judged, and how others judged it. */
function records(): RowFold {
  const rows = new Map<string, Made>();
  const authors = new Map<unknown, string>();
  const count = (agent: string, figure: string) => {
    const before: Made = rows.get(agent) ?? NO_RECORD;
    rows.set(agent, { ...before, [figure]: Number(before[figure]) + 1 });
  };
  return {
    table: "resolution_record",
    stands: "at_head",
    stored: (row, agentOf) => [agentOf(row["agent"]), columns(row, ...Object.keys(NO_RECORD))],
    add(entry) {
      const { kind, body } = entry;
      if (kind === "claim" && body["claim_kind"] !== "quorum") {
        authors.set(body["claim_id"], textIn(entry, "agent"));
        count(textIn(entry, "agent"), "claims_made");
      }
      const author = authors.get(body["claim_id"]);
      if (kind !== "verdict" || body["own"] === 1 || author === undefined) return;
      count(author, `received_${body["outcome"]}`);
      count(textIn(entry, "agent"), `given_${body["outcome"]}`);
    },
    made: () => rows,
  };
}

/** The tables that claims and verdicts are judged and counted in. */
export const claimFolds = (foldOf: FoldOf): readonly RowFold<Books>[] => [
  claims(judged(foldOf("claim"))),
  records(),
];
