import assert from "node:assert/strict";
import { test } from "node:test";
import { committer, deepFiles, founded } from "../../../../test/repositories.ts";
import { openTestService } from "../../../../test/service.ts";
import { statement } from "../../../../test/statement.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { changedFiles } from "./file-queries.ts";

test("files are listed in the order of an index, not sorted", async () => {
  const service = await openTestService("sqlite", "files in order");
  try {
    const { ada, repo_id } = await founded(service);
    await committer(ada, repo_id)(deepFiles(20, 0, "x"));
    const { read: own } = service.service.context;
    const plans: string[] = [];
    const read: Db = {
      ...own,
      async all(plan, values) {
        for (const row of await own.all(statement(`EXPLAIN QUERY PLAN ${plan.sql}`), values))
          plans.push(`${Object(row).detail}`);
        return own.all(plan, values);
      },
    };
    for (const repository of [undefined, repo_id]) {
      plans.length = 0;
      const rows = await changedFiles.all(read, { repository, limit: 10 });
      assert.equal(rows.length, 10);
      assert.ok(!plans.includes("USE TEMP B-TREE FOR ORDER BY"), `${repository}: ${plans}`);
    }
  } finally {
    await service.close();
  }
});
