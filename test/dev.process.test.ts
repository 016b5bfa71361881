import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");

/** It ends a test that waits for what never comes. */
const WATCHDOG = { timeout: 60_000 };

/** Each is how an editor, `sed -i` or `git checkout` writes a file. */
const WRITINGS: Readonly<Record<string, (path: string, text: string) => void>> = {
  "in place": writeFileSync,
  "by a file that takes its name": (path, text) => {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  },
  "anew after it was removed": (path, text) => {
    rmSync(path);
    writeFileSync(path, text);
  },
};

test("npm run dev serves new code, however a file is written", WATCHDOG, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-dev-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "src/cli"), { recursive: true });
  const file = join(folder, "src/said.ts");
  const program =
    'import { said } from "../said.ts"; console.log(said); setInterval(() => {}, 1000);';
  const textOf = (n: number) => `export const said: string = "code ${n}";\n`;
  writeFileSync(join(folder, "src/cli/cairn.ts"), program);
  writeFileSync(file, textOf(0));
  const service = spawn("sh", ["-c", `exec ${manifest.scripts.dev}`], { cwd: folder });
  t.after(() => service.kill());
  let printed = "";
  const says = async (n: number, how: string) => {
    for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
      printed += chunk;
      if (printed.includes(`code ${n}\n`)) return;
    }
    assert.fail(`it ended before a file written ${how} was served: ${printed}`);
  };
  await says(0, "at first");
  let n = 0;
  for (let round = 0; round < 2; round++)
    for (const [how, write] of Object.entries(WRITINGS)) {
      write(file, textOf(++n));
      await says(n, how);
    }
});
