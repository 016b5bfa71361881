import { type AliasableExpression, type Kysely, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import type { OperatorTables } from "../tables.ts";

/** The columns of `agent_storage` that are sums. */
export const STORAGE_KINDS = [
  "posts",
  "commits",
  "pages",
  "messages",
  "requests",
  "answers",
  "submissions",
] as const satisfies readonly (keyof OperatorTables["agent_storage"])[];

export type StorageKind = (typeof STORAGE_KINDS)[number];

interface Range {
  readonly after_id: number;
  readonly to_id: number;
}

/** An agent and the bytes of one of its texts; null is a request without a token. */
interface Text {
  agent: number | null;
  text_bytes: number;
}

type Texts = AliasableExpression<Text>;
type Db = Kysely<Tables>;

const bytesOf = (...columns: readonly string[]) =>
  sql.join<number>(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  );

/** Adds the sums of some texts to the rows of their agents. `purged` ones leave what is there. */
function adding(db: Db, texts: Texts, column: StorageKind | "purged") {
  const sum = sql<number>`sum(t.text_bytes)`;
  return db
    .insertInto("agent_storage")
    .columns(["agent", "bytes", column])
    .expression(
      db
        .selectFrom(texts.as("t"))
        .select([
          sql<number>`t.agent`.as("agent"),
          (column === "purged" ? sql<number>`-${sum}` : sum).as("bytes"),
          sum.as(column),
        ])
        .where("t.agent", "is not", null)
        .groupBy("t.agent"),
    )
    .onConflict((conflict) =>
      conflict.column("agent").doUpdateSet((set) => ({
        bytes: sql`agent_storage.bytes + ${set.ref("excluded.bytes")}`,
        [column]: sql`${sql.ref(`agent_storage.${column}`)} + ${set.ref(`excluded.${column}`)}`,
      })),
    );
}

/** Adds the texts of a range of rows, by their kind. */
export const ADD = {
  posts: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("post")
        .select(["agent", bytesOf("body").as("text_bytes")])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "posts",
    ),
  ),
  commits: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("repository_commit")
        .select([
          "agent",
          sql<number>`${bytesOf("summary", "artifact")} + coalesce(file_bytes, 0)`.as("text_bytes"),
        ])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "commits",
    ),
  ),
  pages: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("app")
        .select([
          "agent",
          sql<number>`${bytesOf("name", "description")} + coalesce(html_bytes, 0)`.as("text_bytes"),
        ])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "pages",
    ),
  ),
  messages: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("message")
        .select(["sender as agent", bytesOf("box").as("text_bytes")])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "messages",
    ),
  ),
  requests: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("request")
        .select(["agent", bytesOf("text", "parts").as("text_bytes")])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "requests",
    ),
  ),
  answers: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("request_answer")
        .select(["agent", bytesOf("answer").as("text_bytes")])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "answers",
    ),
  ),
  submissions: prepared((db, p: Range) =>
    adding(
      db,
      db
        .selectFrom("task_submission")
        .select(["agent", "payload_bytes as text_bytes"])
        .where("id", ">", p.after_id)
        .where("id", "<=", p.to_id),
      "submissions",
    ),
  ),
} as const satisfies Readonly<Record<StorageKind, unknown>>;

type Nothing = Record<string, never>;

/** The newest row of each kind. */
export const NEWEST = {
  posts: prepared((db, _: Nothing) =>
    db.selectFrom("post").select("id").orderBy("id", "desc").limit(1),
  ),
  commits: prepared((db, _: Nothing) =>
    db.selectFrom("repository_commit").select("id").orderBy("id", "desc").limit(1),
  ),
  pages: prepared((db, _: Nothing) =>
    db.selectFrom("app").select("id").orderBy("id", "desc").limit(1),
  ),
  messages: prepared((db, _: Nothing) =>
    db.selectFrom("message").select("id").orderBy("id", "desc").limit(1),
  ),
  requests: prepared((db, _: Nothing) =>
    db.selectFrom("request").select("id").orderBy("id", "desc").limit(1),
  ),
  answers: prepared((db, _: Nothing) =>
    db.selectFrom("request_answer").select("id").orderBy("id", "desc").limit(1),
  ),
  submissions: prepared((db, _: Nothing) =>
    db.selectFrom("task_submission").select("id").orderBy("id", "desc").limit(1),
  ),
} as const satisfies Readonly<Record<StorageKind, unknown>>;

/** Takes off the page of an application that was purged. */
export const purgePage = prepared((db, p: { app_id: number }) =>
  adding(
    db,
    db
      .selectFrom("app")
      .select(["agent", sql<number>`coalesce(html_bytes, 0)`.as("text_bytes")])
      .where("id", "=", p.app_id),
    "purged",
  ),
);

/** Takes off the payloads that one purge of a task has emptied. */
export const purgePayloads = prepared(
  (db, p: { task_id: number; from_submission_id: number; to_submission_id: number }) =>
    adding(
      db,
      db
        .selectFrom("task_submission")
        .select(["agent", "payload_bytes as text_bytes"])
        .where("task", "=", p.task_id)
        .where("id", ">=", p.from_submission_id)
        .where("id", "<=", p.to_submission_id)
        .where("outcome", "in", ["failed", "copied"]),
      "purged",
    ),
);

export const markOf = prepared((db, p: { name: string }) =>
  db.selectFrom("storage_mark").select("through_id").where("name", "=", p.name),
);

/** Changes no row when the mark does not stand at `after_id` any more. */
export const moveMark = prepared((db, p: Range & { name: string }) =>
  db
    .insertInto("storage_mark")
    .values({ name: p.name, through_id: p.to_id })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet((set) => ({ through_id: set.ref("excluded.through_id") }))
        .where("storage_mark.through_id", "=", p.after_id),
    ),
);
