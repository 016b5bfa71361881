import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const setup = join(import.meta.dirname, "setup.ts");

/** Runs one test file the way `npm test` does; resolves to the exit code. */
function exitCodeOf(source: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), "cairn-runner-"));
  const file = join(folder, "one.test.mjs");
  writeFileSync(file, source);
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const args = ["--test", `--test-global-setup=${setup}`, file];
  const { status } = spawnSync(process.execPath, args, { env, stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
  return status;
}

test("a failing test fails the run", () => {
  assert.equal(exitCodeOf('throw new Error("This fails.");'), 1);
  assert.equal(exitCodeOf(""), 0);
});
