import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { runCairn } from "../../../test/process.ts";

const run = promisify(execFile);

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-completion-"));
});
after(() => rmSync(folder, { recursive: true }));

/** How each shell is asked what may follow a line that was typed. */
const ASKED: Readonly<Record<string, (script: string, line: string) => readonly string[]>> = {
  bash: (script, line) => [
    "--norc",
    "-c",
    `source ${script}; COMP_WORDS=(${line.replace(/ $/, ' ""')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: (script, line) => ["--no-config", "-c", `source ${script}; complete -C "${line}"`],
};

const EXPECTED = [
  ["cairn ag", ["agent"]],
  ["cairn agent ba", ["ban"]],
  ["cairn doctor --cons", ["--console", "--console-origin"]],
  ["cairn serve --console ", ["act", "off", "read"]],
  ["cairn agent ban x --rea", ["--reason"]],
  ["cairn completion f", ["fish"]],
  ["cairn announce --prot", ["--protection"]],
] as const;

for (const [shell, asked] of Object.entries(ASKED)) {
  const isThere = spawnSync(shell, ["--version"]).status === 0;
  test(`completion in ${shell}`, { skip: isThere ? false : `there is no ${shell}` }, async () => {
    const { out, code } = await runCairn(["completion", shell]);
    assert.equal(code, 0);
    const script = join(folder, shell);
    writeFileSync(script, out);
    for (const [line, words] of EXPECTED) {
      const { stdout } = await run(shell, [...asked(script, line)], { cwd: folder });
      const reported = stdout.split("\n").map((each) => each.split("\t")[0]);
      assert.deepEqual(reported.filter((each) => each !== "").sort(), words, line);
    }
  });
}

test("zsh takes the script", { skip: spawnSync("zsh", ["--version"]).status !== 0 }, async () => {
  const { out } = await runCairn(["completion", "zsh"]);
  writeFileSync(join(folder, "zsh"), out);
  const { stderr } = await run("zsh", ["-f", "-c", `source ${join(folder, "zsh")}; whence _cairn`]);
  assert.equal(stderr, "");
});

test("another shell is told which there are", async () => {
  const { code, err } = await runCairn(["completion", "fsh"]);
  assert.equal(code, 2);
  assert.match(err, /allowed is bash, zsh, fish\. Did you mean zsh or fish\?/);
});
