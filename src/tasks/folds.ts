import type { FoldOf, RowFold } from "../ledger/rows/fold.ts";
import { recounted } from "../ledger/rows/recounted.ts";
import { type Entry, type Made, numberIn, rowName, textIn } from "../ledger/rows/told.ts";
import { withFigures } from "../ledger/rows/with-figures.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { isBound } from "./criterion-names.ts";

/** What an emptied text hashes to. Only an entry that names the purge makes this the right hash. */
const EMPTY_SHA256 = sha256Hex("");

const COUNTED = { named: "task", field: "task_id", begin: { submissions_count: 0 } };

/** Tasks, each with how often it was tried, and how many agents have passed. */
function tasks(recorded: RowFold): RowFold {
  const passed = new Map<string, Set<string>>();
  const tried = recounted(recorded, COUNTED, ({ kind }) =>
    kind === "task_pass" || kind === "task_fail" ? { submissions_count: 1 } : null,
  );
  return withFigures(tried, {
    made: (name) => ({ passes: passed.get(name)?.size ?? 0 }),
    add(entry) {
      if (entry.kind !== "task_pass") return [];
      const name = rowName("task", entry.body["task_id"]);
      passed.set(name, (passed.get(name) ?? new Set()).add(textIn(entry, "agent")));
      return [name];
    },
  });
}

interface Submission {
  readonly id: number;
  readonly agent: string;
  readonly passed: boolean;
  readonly sealed: string;
  /** Of what a right answer says, where answers of others matter; entries of earlier versions lack it. */
  readonly meaning: string | undefined;
  /** By entries of earlier versions: nobody else had passed with it before. */
  readonly isOriginal: boolean;
  readonly isFirstPass: boolean;
  isPurged: boolean;
}

/** Submissions to tasks, each with its payload or with an entry that says why that is gone. */
function submissions(recorded: RowFold): RowFold {
  const byTask = new Map<number, Submission[]>();
  const bound = new Map<number, boolean>();
  const places = new Map<string, readonly [task: number, place: number]>();

  function figuresOf(name: string): Made {
    const [task = 0, place = -1] = places.get(name) ?? [];
    const made = byTask.get(task)?.[place];
    return {
      outcome: made && outcomeOf(made, bound.get(task) ?? false),
      ...(made?.isPurged && { payload: EMPTY_SHA256 }),
    };
  }

  function add(entry: Entry): readonly string[] {
    const { kind } = entry;
    const task = numberIn(entry, "task_id");
    const made = byTask.get(task) ?? [];
    if (kind === "task_purged")
      return purged(made, entry).map(({ id }) => rowName("submission", id));
    if (kind !== "task_pass" && kind !== "task_fail") return [];
    const agent = textIn(entry, "agent");
    const sealed = textIn(entry, "payload_sha256");
    const meaning =
      entry.body["meaning_sha256"] === undefined ? undefined : textIn(entry, "meaning_sha256");
    const before = made.filter(({ passed }) => passed);
    byTask.set(task, made);
    const name = rowName("submission", entry.body["submission_id"]);
    places.set(name, [task, made.length]);
    made.push({
      ...{ id: numberIn(entry, "submission_id"), agent, sealed, meaning, isPurged: false },
      passed: kind === "task_pass",
      isOriginal: !before.some(
        (each) => each.meaning === undefined && each.sealed === sealed && each.agent !== agent,
      ),
      isFirstPass: !before.some((each) => each.agent === agent),
    });
    return [name];
  }

  return {
    ...withFigures(recorded, { made: figuresOf, add }),
    beside: {
      task({ id, criterion }) {
        bound.set(Number(id), asksForNames(String(criterion)));
      },
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

function outcomeOf(made: Submission, isBoundTask: boolean): string {
  const { passed, isFirstPass, isOriginal, meaning } = made;
  if (passed) return isFirstPass ? "passed" : "repeated";
  if (meaning !== undefined) return "copied"; // Right, and not the first.
  return isOriginal || isBoundTask ? "failed" : "copied";
}

/** Empties the failed ones that the entry names. */
function purged(made: readonly Submission[], entry: Entry): readonly Submission[] {
  const [from, to] = [numberIn(entry, "from_submission_id"), numberIn(entry, "to_submission_id")];
  const emptied = made.filter(({ passed, id }) => !passed && id >= from && id <= to);
  for (const submission of emptied) submission.isPurged = true;
  return emptied;
}

/** The tables to which submissions add together. */
export const taskFolds = (foldOf: FoldOf): readonly RowFold[] => [
  tasks(foldOf("task")),
  submissions(foldOf("task_submission")),
];
