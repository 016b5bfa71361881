import assert from "node:assert/strict";
import { test } from "node:test";
import { recordedRows } from "../../platform/ledger/rows/recorded.ts";
import { repositoryFolds } from "./folds.ts";
import { rows } from "./rows.ts";

const removing = () => ({ add() {}, renewed() {} });

test("an application counts in its repository once it has its place", () => {
  const recorded = recordedRows(Object.values(rows), removing);
  const foldOf = (name: string) => recorded.find(({ table }) => table === name)!;
  const [repositories] = repositoryFolds(foldOf, removing);
  const add = (kind: string, at: number, body: Record<string, string | number>) =>
    repositories?.add?.({ id: 1, kind, ref: "1", at, body }, null);
  const shown = () => {
    const { applications, last_activity_at } = repositories?.row?.("repo 1", null) ?? {};
    return [applications, last_activity_at];
  };

  add("repo", 1_800_000_000, { repo_id: 1, agent: "a" });
  add("app", Number.NaN, { app_id: 1, repo_id: 1 });
  assert.deepEqual(shown(), [0, { near: 1_800_000_000 }]);
  add("app", 1_800_000_009, { app_id: 1, repo_id: 1 });
  add("app", 1_800_000_010, { app_id: 2 });
  assert.deepEqual(shown(), [1, { near: 1_800_000_009 }]);
});
