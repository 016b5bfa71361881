import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildPackages } from "../packages/build.ts";
import { NAMES } from "../packages/manifests.ts";
import { VERIFIER } from "../packages/verifier.ts";
import { install, pack, packagesIn } from "./packed.ts";
import { type RunningService, startService } from "./process.ts";
import { PROGRAMS, RUNTIMES, withoutRuntimes } from "./runtimes.ts";
import { sealed } from "./site.ts";
import { editedText, PINNED } from "./verdicts.ts";

const TYPESCRIPT = join(import.meta.dirname, "../node_modules/typescript/bin/tsc");

let folder: string;
/** Where npm has installed it. */
let home: string;
let service: RunningService;
const installed = () => join(home, "node_modules", NAMES.verify);

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "cairn-verify-"));
  await buildPackages(folder, ["verify"]);
  home = mkdtempSync(join(folder, "home-"));
  install("npm", pack(join(folder, "verify"), folder), home);
  service = await startService({
    CAIRN_DATA_DIR: join(folder, "data"),
    CAIRN_LOG_LEVEL: "error",
    CAIRN_SEAL_INTERVAL_S: "1",
  });
  await sealed(service);
});
after(async () => {
  await service.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const run = (file: string, ...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(file, words, { cwd: home, encoding: "utf8" });
  return { status, stdout, stderr };
};

test("npm installs one package with one command, which verifies a service", () => {
  assert.deepEqual(packagesIn(join(home, "node_modules")), [NAMES.verify]);
  assert.deepEqual(readdirSync(join(home, "node_modules/.bin")), ["cairn-verify"]);
  const { status, stdout } = run(join(home, "node_modules/.bin/cairn-verify"), service.url);
  assert.match(stdout, /The chain verifies\b/);
  assert.equal(status, 0);
});

test("it is the file that services serve, and the readable one says the same", async () => {
  const [own, served] = [readFileSync(join(installed(), "verify.mjs")), readFileSync(VERIFIER)];
  assert.equal(own.equals(served), true);
  assert.equal(own.equals(await fetch(`${service.url}/verify.mjs`).then((it) => it.bytes())), true);
  const saved = join(folder, "saved");
  writeFileSync(saved, editedText(3));
  const words = [saved, "--entries", "--key", PINNED, "--json"];
  const reported = run(process.execPath, join(installed(), "verify.mjs"), ...words);
  assert.equal(reported.status, 1);
  assert.deepEqual(
    run(process.execPath, join(installed(), "verify.source.mjs"), ...words),
    reported,
  );
});

const PROGRAM = `import { verify } from "${NAMES.verify}";
const report = await verify({ url: process.argv.at(-1) ?? "" });
console.log(report.ok, report.history);
`;

for (const [name, program = "", ...before] of PROGRAMS) {
  const skip = program === process.execPath ? false : withoutRuntimes;
  test(`a program imports it: ${name}`, { skip }, () => {
    writeFileSync(join(home, "program.mjs"), PROGRAM);
    const reported = run(program, ...before, "program.mjs", service.url);
    assert.equal(reported.stdout, "true new\n", reported.stderr);
  });
}

test("its types know the report, and need nothing else", () => {
  const compiled = (text: string) => {
    writeFileSync(join(home, "program.mts"), `declare const process: any;\n${text}`);
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "false"];
    const target = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
    return run(process.execPath, TYPESCRIPT, ...options, ...target, "program.mts").stdout;
  };
  assert.equal(compiled(PROGRAM), "");
  assert.match(compiled(PROGRAM.replace(".history", ".past")), /'past' does not exist/);
});

test("publint finds nothing to say of the verifier", { skip: withoutRuntimes }, () => {
  const args = [RUNTIMES.publint, "run", join(folder, "verify"), "--strict", "--pack=false"];
  const { status, stdout, stderr } = run(process.execPath, ...args);
  assert.equal(status, 0, stdout + stderr);
});
