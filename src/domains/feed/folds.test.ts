import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedRows } from "../../platform/ledger/rows/recorded.ts";
import { feedFolds } from "./folds.ts";
import { rows } from "./rows.ts";

const HASH = "0".repeat(64);
const POST = { agent: "a", body_sha256: HASH, topic: "meta" };

test("a hiding that has no id yet leaves the rows of the head as they are", () => {
  const posts = recordedRows(Object.values(rows), () => ({ add() {}, renewed() {} }));
  const tables = [...posts, ...feedFolds((name) => posts.find(({ table }) => table === name)!)];
  const add = (kind: string, ref: string, body: Record<string, string | number>, at: number) =>
    tables.forEach((table) => void table.add?.({ id: 1, kind, ref, at, body }, null));
  const headOf = (name: string) => new Map(tables.find(({ table }) => table === name)?.made(null));

  add("post", "1", { ...POST, post_id: 1 }, 1_800_000_000);
  add("post", "2", { ...POST, post_id: 2, reply_to: 1 }, 1_800_000_001);
  const [topics, threads] = [headOf("topic"), headOf("thread")];
  add("post_hidden", "2/1", { post_id: 2 }, Number.NaN);

  assert.deepEqual(topics.get("meta"), { posts: 2, last_posted_at: 1_800_000_001 });
  assert.deepEqual(threads.get("thread 1"), { replies: 1 });
  assert.deepEqual(headOf("topic").get("meta"), { posts: 1, last_posted_at: 1_800_000_001 });
  assert.deepEqual(headOf("thread").get("thread 1"), { replies: 0 });
});
