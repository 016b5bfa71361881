import {
  columns,
  type Entry,
  type Made,
  near,
  numberIn,
  rowName,
  textIn,
} from "../../../ledger/rows/told.ts";
import { sha256, sha256Hex } from "../../../ledger/sha256.ts";
import { isBound } from "../../../tasks/criterion-names.ts";
import type { DerivedTable } from "./table.ts";

/** What an emptied text hashes to. Only an entry that names the purge makes this the right hash. */
const EMPTY_SHA256 = sha256Hex("");

/** Hosted pages: each is the one whose hash was sealed, or was purged, which is sealed too. */
function pages(): DerivedTable {
  const hashes = new Map<string, string>();
  return {
    table: "app_page",
    stands: "at_commit",
    stored: (row) => [
      rowName("app", row["app"]),
      { html_sha256: sha256(Buffer.from(String(row["html"]), "base64url")).toHex() },
    ],
    add(entry) {
      const name = rowName("app", entry.body["app_id"]);
      if (entry.kind === "app" && entry.body["html_sha256"] !== undefined)
        hashes.set(name, textIn(entry, "html_sha256"));
      if (entry.kind === "app_purged") hashes.set(name, EMPTY_SHA256);
    },
    made: () => new Map([...hashes].map(([name, html_sha256]) => [name, { html_sha256 }])),
  };
}

interface Submission {
  readonly id: number;
  readonly agent: string;
  readonly passed: boolean;
  readonly sealed: string;
  readonly at: number;
  /** Nobody else had passed with it before: then it is no copy, whatever the task asks. */
  readonly isOriginal: boolean;
  readonly isFirstPass: boolean;
  isPurged: boolean;
}

/** Submissions to tasks, each with its payload or with an entry that says why that is gone. */
function submissions(): DerivedTable {
  const byTask = new Map<number, Submission[]>();
  const bound = new Map<number, boolean>();
  const places = new Map<string, readonly [task: number, place: number]>();
  let tell: (name: string) => void = () => {};

  function add(entry: Entry): void {
    const { kind, at } = entry;
    const task = numberIn(entry, "task_id");
    const made = byTask.get(task) ?? [];
    if (kind === "task_purged")
      for (const { id } of purged(made, entry)) tell(rowName("submission", id));
    if (kind !== "task_pass" && kind !== "task_fail") return;
    const agent = textIn(entry, "agent");
    const sealed = textIn(entry, "payload_sha256");
    const before = made.filter(({ passed }) => passed);
    byTask.set(task, made);
    const name = rowName("submission", entry.body["submission_id"]);
    tell(name);
    places.set(name, [task, made.length]);
    made.push({
      ...{ id: numberIn(entry, "submission_id"), agent, sealed, at, isPurged: false },
      passed: kind === "task_pass",
      isOriginal: !before.some((each) => each.sealed === sealed && each.agent !== agent),
      isFirstPass: !before.some((each) => each.agent === agent),
    });
  }

  const madeOf = (task: number, made: Submission): Made => ({
    ...{ task, agent: made.agent, created_at: near(made.at), payload_sha256: made.sealed },
    payload: made.isPurged ? EMPTY_SHA256 : made.sealed,
    outcome: outcomeOf(made, bound.get(task) ?? false),
    isCounted: 1,
  });

  return {
    table: "task_submission",
    stands: "at_commit",
    stored(row, agentOf) {
      const payload = String(row["payload"]);
      const bytes = Buffer.byteLength(payload);
      return [
        rowName("submission", row["id"]),
        {
          ...columns(row, "task", "outcome", "payload_sha256", "created_at"),
          ...{ agent: agentOf(row["agent"]), payload: sha256Hex(payload) },
          isCounted: payload === "" || row["payload_bytes"] === bytes ? 1 : 0,
        },
      ];
    },
    beside: {
      task({ id, criterion }) {
        bound.set(Number(id), asksForNames(String(criterion)));
      },
    },
    add,
    made: () =>
      new Map(
        [...byTask].flatMap(([task, made]) =>
          made.map((each) => [rowName("submission", each.id), madeOf(task, each)] as const),
        ),
      ),
    row(name) {
      const [task = 0, place = -1] = places.get(name) ?? [];
      const made = byTask.get(task)?.[place];
      return made && madeOf(task, made);
    },
    texts: ["payload"],
    watch(told) {
      tell = told;
    },
  };
}

/** The comparison of tasks finds a text that is no criterion. */
function asksForNames(criterion: string): boolean {
  try {
    return isBound(JSON.parse(criterion));
  } catch {
    return false;
  }
}

function outcomeOf({ passed, isFirstPass, isOriginal }: Submission, isBoundTask: boolean): string {
  if (passed) return isFirstPass ? "passed" : "repeated";
  return isOriginal || isBoundTask ? "failed" : "copied";
}

/** Empties the failed ones that the entry names. */
function purged(made: readonly Submission[], entry: Entry): readonly Submission[] {
  const [from, to] = [numberIn(entry, "from_submission_id"), numberIn(entry, "to_submission_id")];
  const emptied = made.filter(({ passed, id }) => !passed && id >= from && id <= to);
  for (const submission of emptied) submission.isPurged = true;
  return emptied;
}

/** Tables of large texts, of which the operator may have emptied some. */
export const purgedTables = (): readonly DerivedTable[] => [pages(), submissions()];
