import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { reachOf } from "../packages/test-changed.ts";
import { filesOf } from "../packages/test-files.ts";

const ROOT = join(import.meta.dirname, "..");

/** A word that no test file has. */
const UNSAID = ["que", "tzal"].join("");

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-command-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(...words: readonly string[]) {
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const args = ["packages/test.ts", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env,
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

test("words that no test file or test has as its name are refused, with what is near", () => {
  const refusals: readonly (readonly [words: readonly string[], sentence: RegExp])[] = [
    [
      ["src/domains/feed/fed.test.ts"],
      /^No test file is named src\/domains\/feed\/fed\.test\.ts\. Near it: src\/domains\/feed\//,
    ],
    [["quick", "nowhere"], /^No test file is named nowhere\.$/m],
    [["src/domains/feed", "src/nowhere/*.test.ts"], /^No test file is named src\/nowhere/],
    [[`--test-name-pattern=a ${UNSAID}|one ${UNSAID}`], /^No test's name matches "a /],
    [["quick", "--test-name-pattern", UNSAID], /^No test's name matches "/],
  ];
  for (const [words, sentence] of refusals) {
    const { code, out, err } = run(...words);
    assert.deepEqual([code, out], [1, ""], words.join(" "));
    assert.match(err, sentence);
  }
});

test("a run in which no test has the name fails, and one that has some does not", (t) => {
  const folder = folderFor(t);
  const file = join(folder, "stone.test.mjs");
  writeFileSync(file, 'import { test } from "node:test"; test("a stone", () => {});');
  const outcomeOf = (pattern: string) => {
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const reporter = join(ROOT, "packages/none-ran.ts");
    const words = ["--test", `--test-reporter=${reporter}`, `--test-name-pattern=${pattern}`, file];
    return spawnSync(process.execPath, words, { env, encoding: "utf8" });
  };
  const none = outcomeOf("a pebble");
  assert.deepEqual([none.status, none.stdout], [1, "No test ran: none has a name that matches.\n"]);
  assert.equal(outcomeOf("a stone").status, 0);
});

test("a change reaches the tests that import it, those beside it, and those that name it", async () => {
  const all = filesOf(["src/**/*.test.ts", "test/**/*.test.ts"]);
  const rows: readonly (readonly [changed: string, reached: readonly string[], not: string])[] = [
    [
      "src/domains/feed/rules.ts",
      ["src/domains/feed/rules.test.ts", "src/domains/views/limits/limits.test.ts"],
      "src/domains/coin/coin.test.ts",
    ],
    [
      "src/domains/feed/handlers.ts",
      ["src/domains/feed/feed.test.ts"],
      "src/domains/coin/coin.test.ts",
    ],
    [
      "src/domains/coin/coin.test.ts",
      ["src/domains/coin/coin.test.ts"],
      "src/domains/feed/feed.test.ts",
    ],
    [
      "test/service.ts",
      ["src/domains/feed/feed.test.ts", "src/domains/coin/coin.test.ts"],
      "test/lock.test.ts",
    ],
    [
      "src/platform/db/migrations/sqlite/9001-a.sql",
      ["src/platform/db/schema.test.ts"],
      "src/domains/coin/coin.test.ts",
    ],
    [
      "docs/contributing/adding.md",
      ["test/adding.process.test.ts"],
      "src/domains/feed/feed.test.ts",
    ],
    ["bin/runtime.mjs", ["test/launcher.process.test.ts"], "src/domains/feed/feed.test.ts"],
  ];
  const reachedBy = await reachOf(all);
  for (const [changed, reached, not] of rows) {
    const found = reachedBy([changed]);
    assert.deepEqual(
      [reached.filter((file) => !found.includes(file)), found.includes(not)],
      [[], false],
      changed,
    );
  }
});
