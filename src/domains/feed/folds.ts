import { derived, keys, local, secret } from "../../platform/ledger/rows/columns.ts";
import type { FoldOf, RowFold } from "../../platform/ledger/rows/fold.ts";
import { packedRows } from "../../platform/ledger/rows/packed-rows.ts";
import {
  columns,
  type Entry,
  type Made,
  rowName,
  type Told,
} from "../../platform/ledger/rows/told.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  report: secret("id", "post", "agent", "rule", "created_at", "decided_at", "decision", "note"),
  thread: { ...keys("post"), ...derived("replies") },
  post_of_agent: local("agent", "id"),
  topic: derived("topic", "posts", "last_posted_at"),
  mention: local("post", "agent"),
} as const;

/** How many more posts can be read after an entry, by its kind. */
const SHOWN: ReadonlyMap<string, number> = new Map([
  ["post", 1],
  ["post_hidden", -1],
  ["post_unhidden", 1],
]);

/** Tells of each entry after which more or fewer posts can be read that have something in a column. */
const counting =
  (
    { row: postOf }: RowFold,
    column: "topic" | "reply_to",
    tell: (value: Told, by: number, entry: Entry) => void,
  ) =>
  (entry: Entry, books: unknown): void => {
    const { kind, body } = entry;
    const by = SHOWN.get(kind);
    if (by === undefined) return;
    const post = kind === "post" ? body : postOf?.(rowName("post", body["post_id"]), books);
    if (post?.[column] !== undefined) tell(post[column], by, entry);
  };

/** Posts of each topic that can be read, and when the last one came. */
function topics(posts: RowFold): RowFold {
  const rows = new Map<string, Made>();
  return {
    table: "topic",
    stands: "at_head",
    stored: (row) => [String(row["topic"]), columns(row, "posts", "last_posted_at")],
    add: counting(posts, "topic", (topic, by, { kind, at }) => {
      const before = rows.get(String(topic));
      const last = kind === "post" ? { last_posted_at: at } : {};
      rows.set(String(topic), { ...before, ...last, posts: Number(before?.["posts"] ?? 0) + by });
    }),
    made: () => rows,
  };
}

/** Replies to each post that can be read. */
function threads(posts: RowFold): RowFold {
  const rows = packedRows();
  return {
    table: "thread",
    stands: "at_head",
    stored: (row) => [rowName("thread", row["post"]), columns(row, "replies")],
    add: counting(posts, "reply_to", (post, by) => {
      const name = rowName("thread", String(post));
      rows.set(name, { replies: Number(rows.get(name)?.["replies"] ?? 0) + by });
    }),
    made: () => rows,
  };
}

/** The tables that posts are counted in. */
export const feedFolds = (foldOf: FoldOf): readonly RowFold[] => [
  topics(foldOf("post")),
  threads(foldOf("post")),
];
