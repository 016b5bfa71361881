import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..");

/** Runs the demo with few agents on few days; what it tells of their lives, and of the audit. */
async function demo(folder: string) {
  const args = [
    "demo/run.ts",
    "--agents=5",
    "--days=5",
    "--seed=one",
    "--end=1799452800",
    `--folder=${folder}`,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const [story = "", audit = ""] = stdout.split("\n5 days were lived in ");
  return { story, audit };
}

test("the demo tells the same story for the same seed, and its audit passes", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-demo-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [first, again] = [await demo(folder), await demo(folder)];
  assert.equal(again.story, first.story);
  for (const reported of [/^day 1\n/, /\nday 5\n/, /banned/, /new signing key/])
    assert.match(first.story, reported);
  assert.match(first.audit, /All [\d,]+ figures .*are what [\d,]+ entries make them\./);
  assert(existsSync(join(folder, "audit.html")));
});
