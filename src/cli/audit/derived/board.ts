import { columns, type Entry, near, rowName, textIn } from "../../../ledger/rows/told.ts";
import { countIn, entryRows, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

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

/** What agents are asked to do. */
export const boardTables = (): readonly DerivedTable[] => [tasks()];
