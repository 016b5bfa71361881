import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { type Program, runCairn, startService } from "./process.ts";
import { RUNTIMES, withoutRuntimes } from "./runtimes.ts";

const ROOT = join(import.meta.dirname, "..");
const LAUNCHER = "bin/cairn.mjs";
const OURS: Program = [process.execPath, LAUNCHER];

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-launcher-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The launcher in a package without its bundle, or in a checkout in which nothing is installed. */
function launcherIn(t: TestContext, kind: "package" | "checkout"): string {
  const folder = folderFor(t);
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  if (kind === "checkout") {
    mkdirSync(join(folder, "src/cli"), { recursive: true });
    writeFileSync(join(folder, "src/cli/cairn.ts"), "");
  }
  return join(folder, "bin/cairn.mjs");
}

const run = (file: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
};

const REMEDIES = {
  package: `Install Node 26 from https://nodejs.org, or let npm bring it:
  npx -p node@26 -p cairn-network cairn serve
`,
  checkout: `Install Node 26 from https://nodejs.org, or let npm bring it:
Run npm ci here once; it brings Node 26.
`,
} as const;

for (const runtime of ["Node 20", "Node 22", "Node 24", "Bun"] as const)
  test(`${runtime} gets a sentence and no stack`, { skip: withoutRuntimes }, (t) => {
    const file = RUNTIMES[runtime];
    const version = run(file, "--version").out.trim().replace("v", "");
    const name = `${runtime.split(" ")[0]} ${version}`;
    for (const kind of ["package", "checkout"] as const) {
      const { code, out, err } = run(file, launcherIn(t, kind), "serve");
      assert.deepEqual([code, out], [1, ""]);
      const needs = `cairn needs Node 26 or newer; this is ${name} (${file}).\n`;
      assert.equal(err, needs + REMEDIES[kind]);
    }
    const { code, err } = run(file, join(ROOT, LAUNCHER), "serve");
    assert.equal(code, 1);
    assert.match(err, /\nnpm start and npm run cairn use the Node 26 of this checkout\.\n$/);
  });

test("a checkout without packages is told to install them", (t) => {
  const { code, err } = run(process.execPath, launcherIn(t, "checkout"), "serve");
  assert.deepEqual([code, err], [1, "This checkout has no packages yet.\nRun npm ci here once.\n"]);
});

const INSTALLERS = {
  npm: ["npm", "ci", "--ignore-scripts", "--omit=dev", "--prefer-offline", "--no-audit"],
  pnpm: [process.execPath, RUNTIMES.pnpm, "install", "--prod", "--prefer-offline"],
} as const;
const slow = process.env["TEST_INSTALLS"] === undefined && "it is slow: TEST_INSTALLS=1";

for (const [name, [file, ...args]] of Object.entries(INSTALLERS))
  test(`a checkout that ${name} installs without scripts starts`, { skip: slow }, (t) => {
    const folder = folderFor(t);
    for (const each of ["package.json", "package-lock.json", ".npmrc", "bin", "src"])
      cpSync(join(ROOT, each), join(folder, each), { recursive: true });
    const options = { cwd: folder, encoding: "utf8", stdio: "pipe" } as const;
    const installed = spawnSync(file, args, options);
    assert.equal(installed.status, 0, installed.stdout + installed.stderr);
    const env = { ...process.env, PATH: `${join(folder, "node_modules/.bin")}:/usr/bin:/bin` };
    const asked = spawnSync("node", [LAUNCHER, "--version"], { ...options, env });
    assert.equal(asked.stderr, "");
    assert.match(asked.stdout, /^cairn [0-9.]+, protocol 1, Node 26\./);
  });

test("the service keeps its process, with the flags of its heap", async (t) => {
  const CAIRN_DATA_DIR = folderFor(t);
  const service = await startService({ CAIRN_DATA_DIR }, OURS);
  t.after(() => service.stop("SIGKILL"));
  const read = (name: string) =>
    readFileSync(`/proc/${service.process.pid}/${name}`, "utf8").split("\0");
  const [node, ...args] = read("cmdline");
  assert.equal(node, process.execPath);
  assert.deepEqual(args.slice(0, 2), ["--max-semi-space-size=16", "--max-old-space-size=1536"]);
  assert.ok(read("environ").includes("MALLOC_ARENA_MAX=1"));
  assert.equal(await service.stop("SIGTERM"), 0);
});

test("flags that the operator chooses stay", async (t) => {
  const CAIRN_DATA_DIR = folderFor(t);
  const NODE_OPTIONS = "--max_old_space_size=300 --max-semi-space-size=8";
  const report = "--import=data:text/javascript,process.stderr.write(String(process.execArgv))";
  const given = `${NODE_OPTIONS} ${report}`;
  const { err } = await runCairn(
    ["serve", "--help"],
    { CAIRN_DATA_DIR, NODE_OPTIONS: given },
    OURS,
  );
  assert.equal(err, "");
  const flag = "--max-old-space-size=300";
  const own: Program = [process.execPath, flag, report, LAUNCHER];
  assert.equal((await runCairn(["serve", "--help"], {}, own)).err, [flag, report].join());
});

test("the end of npm ends the service", async (t) => {
  const port = await freePort();
  const flags = ["--data-dir", folderFor(t), "--port", String(port), "--admin-port", "0"];
  const npm = spawn("npm", ["start", "--", ...flags], { cwd: ROOT, stdio: "ignore" });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/v1`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(answers);
  npm.kill("SIGTERM");
  await once(npm, "exit");
  await eventually(async () => !(await answers()));
});

test("Windows is told that it is not tested", async () => {
  const windows =
    '--import=data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})';
  const { code, err } = await runCairn(["serve", "--help"], {}, [
    process.execPath,
    windows,
    LAUNCHER,
  ]);
  assert.deepEqual([code, err], [0, "Windows is not tested: use WSL or the container.\n"]);
});

test("a host that is gone before its first message ends the bridge with 0", async (t) => {
  const token = join(folderFor(t), "token");
  const asked = ["mcp", "--url", "http://127.0.0.1:1", "--token-file", token];
  assert.deepEqual(await runCairn(asked, {}, OURS), { code: 0, out: "", err: "" });
});

const POSIX =
  /(?:^|&& )\w+=|[$'<>;|`~\\]|(?:^|&& )(?:cat|cp|exec|export|find|mkdir|mv|rm|sh|test)\b/;

test("no script needs a POSIX shell", () => {
  const faults = Object.entries(manifest.scripts).filter(([, text]) => POSIX.test(text));
  assert.deepEqual(faults, []);
  for (const bad of [
    "A=1 node x",
    "exec node x",
    "node x >/dev/null",
    "mkdir -p a && cp b c",
    "find . | wc",
    "node 'x'",
  ])
    assert.match(bad, POSIX);
});
