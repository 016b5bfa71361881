import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesGoldenJson } from "./golden.ts";
import { readProject } from "./tidy/source.ts";
import { crossFolderReads } from "./tidy/tables.ts";

test("reads of another folder's table are known", () =>
  matchesGoldenJson("cross-folder-reads.json", crossFolderReads(readProject())));

test("reads of another folder's table are found", () => {
  const texts = {
    "src/domains/feed/tables.ts":
      "export interface FeedTables {\n  post: PostTable;\n  topic: TopicTable;\n}\n",
    "src/domains/feed/queries.ts": 'db.selectFrom("post")',
    "src/domains/views/queries.ts": 'db.selectFrom("post as p").innerJoin("topic", "t", "u")',
    "src/domains/views/since.ts": "sql<number>`select count(*) from post`",
  };
  const reads = crossFolderReads(Object.entries(texts).map(([path, source]) => ({ path, source })));
  assert.deepEqual(reads, {
    "src/domains/views/queries.ts": ["post", "topic"],
    "src/domains/views/since.ts": ["post"],
  });
});
