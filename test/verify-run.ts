import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit } from "../src/cli/audit/command.ts";
import type { Environment } from "../src/cli/command/command.ts";
import { endOf } from "../src/cli/command/runner.ts";
import { verify } from "../src/cli/verify/verify.ts";

const folder = mkdtempSync(join(tmpdir(), "cairn-verify-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** A path that nothing has used yet, in a folder that goes away with the tests. */
export const newFile = (): string => join(folder, `${++files}`);

/** What `cairn verify` says, and its exit code. */
export const verifyRun = (args: readonly string[]) => endOf(verify, args);

/** What `cairn audit` says, and its exit code. */
export const auditRun = (args: readonly string[], environment?: Environment) =>
  endOf(audit, args, environment);

/** Runs `cairn verify` with `--json`, with a memory of its own or with the given one. */
export async function verifyJson(args: readonly string[], state = newFile()) {
  const { exit_code, text } = await verifyRun([...args, "--json", "--state", state]);
  const report: Record<string, unknown> = JSON.parse(text);
  assert.equal(report["exit_code"], exit_code);
  assert.equal(report["ok"], exit_code === 0);
  const { findings = [], error, history } = report;
  assert(Array.isArray(findings));
  const reasons = findings.map(({ seq, reason }) => `${seq}: ${reason}`);
  return { exit_code, report, reasons, error: String(error), history, state };
}
