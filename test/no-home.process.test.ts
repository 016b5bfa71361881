import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { OURS } from "./process.ts";

/** A number that no user of any system has. */
const NOBODY_ELSE = 1_234_567;
const { PATH = "" } = process.env;

/** Runs a command as a user without an entry in the list of users, and without a variable that names a home. */
function runHomeless(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = Object.entries({ PATH, ...variables }).map(([name, value]) => `${name}=${value}`);
  const user = [`--reuid=${NOBODY_ELSE}`, `--regid=${NOBODY_ELSE}`, "--clear-groups"];
  const program = [...user, "env", "-i", ...env, ...OURS, ...words];
  const { status, stdout, stderr } = spawnSync("setpriv", program, { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

/** Only root may become a user that there is not; and that user has to be able to read this checkout. */
const skip =
  (process.geteuid?.() !== 0 && "only root becomes another user") ||
  (runHomeless(["--version"]).code !== 0 && "another user cannot read this checkout");

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-homeless-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, NOBODY_ELSE, NOBODY_ELSE);
  chmodSync(folder, 0o700);
  return folder;
}

test("a user without a home gets help, and the words of all commands", { skip }, () => {
  for (const words of ["verify --help", "audit --help", "serve --help", "completion bash"]) {
    const { code, err } = runHomeless(words.split(" "));
    assert.deepEqual([words, code, err], [words, 0, ""]);
  }
});

test("a default below the home is refused where there is none, by what names another", {
  skip,
}, (t) => {
  const nowhere = "http://127.0.0.1:1";
  const sentence = (option: string) =>
    `This user has no home folder. Name a file with ${option}, or a folder with XDG_STATE_HOME.\n`;
  for (const command of ["verify", "audit"])
    assert.deepEqual(runHomeless([command, nowhere]), {
      code: 2,
      out: "",
      err: sentence("--state"),
    });
  assert.equal(runHomeless(["mcp", "--url", nowhere]).err, sentence("--token-file"));

  const state = join(folderFor(t), "heads.json");
  const XDG_STATE_HOME = folderFor(t);
  for (const command of ["verify", "audit"]) {
    assert.equal(runHomeless([command, nowhere, "--state", state]).code, 5);
    assert.equal(runHomeless([command, nowhere], { XDG_STATE_HOME }).code, 5);
  }
  const token = join(folderFor(t), "token");
  assert.equal(runHomeless(["mcp", "--url", nowhere, "--token-file", token]).code, 0);
});

test("the journal of the operator has the number of a user without a name", { skip }, (t) => {
  const folder = folderFor(t);
  const on = ["--data-dir", join(folder, "data"), "--json"];
  assert.equal(runHomeless(["init", ...on, "--yes"]).code, 0);
  const quest = ["--title", "A quest", "--description", "Do it.", "--days", "1"];
  const added = runHomeless(["quest", "add", ...quest, ...on, "--yes"]);
  assert.deepEqual([added.code, added.err], [0, ""]);
  const { out } = runHomeless(["journal", ...on]);
  assert.match(out, new RegExp(`"uid ${NOBODY_ELSE}"`));
});
