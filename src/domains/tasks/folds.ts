import type { FoldOf, RowFold } from "../../platform/ledger/rows/fold.ts";
import { recounted } from "../../platform/ledger/rows/recounted.ts";
import {
  type Entry,
  type Made,
  numberIn,
  rowName,
  textIn,
} from "../../platform/ledger/rows/told.ts";
import { withFigures } from "../../platform/ledger/rows/with-figures.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";

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
  /** Of what a right answer says, where answers of others matter. */
  readonly meaning: string | undefined;
  readonly isFirstPass: boolean;
  isPurged: boolean;
}

/** Submissions to tasks, each with its payload or with an entry that says why that is gone. */
function submissions(recorded: RowFold): RowFold {
  const byTask = new Map<number, Submission[]>();
  const places = new Map<string, readonly [task: number, place: number]>();

  function figuresOf(name: string): Made {
    const [task = 0, place = -1] = places.get(name) ?? [];
    const made = byTask.get(task)?.[place];
    return {
      outcome: made && outcomeOf(made),
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
    const meaning =
      entry.body["meaning_sha256"] === undefined ? undefined : textIn(entry, "meaning_sha256");
    const before = made.filter(({ passed }) => passed);
    byTask.set(task, made);
    const name = rowName("submission", entry.body["submission_id"]);
    places.set(name, [task, made.length]);
    made.push({
      id: numberIn(entry, "submission_id"),
      agent,
      meaning,
      isPurged: false,
      passed: kind === "task_pass",
      isFirstPass: !before.some((each) => each.agent === agent),
    });
    return [name];
  }

  return withFigures(recorded, { made: figuresOf, add });
}

function outcomeOf({ passed, isFirstPass, meaning }: Submission): string {
  if (passed) return isFirstPass ? "passed" : "repeated";
  return meaning === undefined ? "failed" : "copied"; // Right, and not the first.
}

/** Empties the failed ones that the entry names. */
function purged(made: readonly Submission[], entry: Entry): readonly Submission[] {
  const from = numberIn(entry, "from_submission_id");
  const to = numberIn(entry, "to_submission_id");
  const emptied = made.filter(({ passed, id }) => !passed && id >= from && id <= to);
  for (const submission of emptied) submission.isPurged = true;
  return emptied;
}

/** The tables to which submissions add together. */
export const taskFolds = (foldOf: FoldOf): readonly RowFold[] => [
  tasks(foldOf("task")),
  submissions(foldOf("task_submission")),
];
