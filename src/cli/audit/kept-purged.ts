import { sha256, sha256Hex } from "../../ledger/sha256.ts";
import { type Entry, numberIn, textIn } from "./entry.ts";
import { type AgentOf, type KeptTable, type Row, rowName, shown } from "./kept.ts";

/** What an emptied text hashes to. Only an entry that names the purge makes this the right hash. */
const EMPTY_SHA256 = sha256Hex("");

/** Hosted pages: each is the one whose hash was sealed, or was purged, which is sealed too. */
function pages(): KeptTable {
  const hashes = new Map<string, string>();
  return {
    table: "app_page",
    stands: "at_commit",
    stored: (row) => [
      rowName("app", row["app"]),
      shown({ html_sha256: sha256(Buffer.from(String(row["html"]), "base64url")).toHex() }),
    ],
    add(entry) {
      const name = rowName("app", entry.body["app_id"]);
      if (entry.kind === "app" && entry.body["html_sha256"] !== undefined)
        hashes.set(name, textIn(entry, "html_sha256"));
      if (entry.kind === "app_purged") hashes.set(name, EMPTY_SHA256);
    },
    made: () => new Map([...hashes].map(([name, html_sha256]) => [name, shown({ html_sha256 })])),
  };
}

interface Submission {
  readonly id: number;
  readonly agent: unknown;
  readonly passed: 0 | 1;
  readonly sealed: string;
  /** Of the payload that must be there. */
  payload: string;
}

/** Submissions to tasks, each with its payload or with an entry that says why that is gone. */
function submissions(): KeptTable {
  const byTask = new Map<number, Submission[]>();
  return {
    table: "task_submission",
    stands: "at_commit",
    stored: storedSubmission,
    add(entry) {
      const { kind } = entry;
      if (kind === "task_purged") purge(byTask.get(numberIn(entry, "task_id")) ?? [], entry);
      if (kind !== "task_pass" && kind !== "task_fail") return;
      const task = numberIn(entry, "task_id");
      const sealed = textIn(entry, "payload_sha256");
      const made = byTask.get(task) ?? [];
      byTask.set(task, made);
      made.push({
        id: numberIn(entry, "submission_id"),
        agent: entry.body["agent"],
        passed: kind === "task_pass" ? 1 : 0,
        sealed,
        payload: sealed,
      });
    },
    made: () =>
      new Map(
        [...byTask].flatMap(([task, made]) =>
          made.map(({ id, agent, passed, sealed, payload }) => [
            rowName("submission", id),
            shown({ task, agent: String(agent), passed, payload_sha256: sealed, payload }),
          ]),
        ),
      ),
  };
}

/** What the ledger tells of an outcome. */
const PASSED: Readonly<Record<string, 0 | 1>> = { passed: 1, repeated: 1, failed: 0, copied: 0 };

function storedSubmission(row: Row, agentOf: AgentOf): readonly [string, string] {
  const { task, agent, outcome, payload, payload_sha256 } = row;
  const passed = PASSED[String(outcome)] ?? outcome;
  const there = { payload_sha256, payload: sha256Hex(String(payload)) };
  return [
    rowName("submission", row["id"]),
    shown({ task, agent: agentOf(agent), passed, ...there }),
  ];
}

/** Empties the failed ones that the entry names. */
function purge(made: readonly Submission[], entry: Entry): void {
  const [from, to] = [numberIn(entry, "from_submission_id"), numberIn(entry, "to_submission_id")];
  for (const submission of made)
    if (submission.passed === 0 && submission.id >= from && submission.id <= to)
      submission.payload = EMPTY_SHA256;
}

/** Tables of large texts, of which the operator may have emptied some. */
export const purgedTables = (): readonly KeptTable[] => [pages(), submissions()];
