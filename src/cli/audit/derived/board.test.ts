import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyBooks } from "../replay.ts";
import { boardTables } from "./board.ts";

const HASH = "0".repeat(64);
const POST = { agent: "a", body_sha256: HASH, topic: "meta" };

test("a hiding that has no id yet leaves the rows of the head as they are", () => {
  const books = emptyBooks();
  const tables = boardTables();
  const add = (kind: string, ref: string, body: Record<string, string | number>, at: number) =>
    tables.forEach((table) => void table.add?.({ id: 1, kind, ref, at, body }, books));
  const headOf = (name: string) => new Map(tables.find(({ table }) => table === name)?.made(books));

  add("post", "1", { ...POST, post_id: 1 }, 1_800_000_000);
  add("post", "2", { ...POST, post_id: 2, reply_to: 1 }, 1_800_000_001);
  const [topics, threads] = [headOf("topic"), headOf("thread")];
  add("post_hidden", "2/1", { post_id: 2 }, Number.NaN);

  assert.deepEqual(topics.get("meta"), { posts: 2, last_posted_at: 1_800_000_001 });
  assert.deepEqual(threads.get("thread 1"), { replies: 1 });
  assert.deepEqual(headOf("topic").get("meta"), { posts: 1, last_posted_at: 1_800_000_001 });
  assert.deepEqual(headOf("thread").get("thread 1"), { replies: 0 });
});
