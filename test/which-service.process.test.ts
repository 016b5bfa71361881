import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { candidatesOn } from "../src/cli/command/found-services.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { CAIRN } from "./process.ts";
import { folderFor } from "./site.ts";

type Variables = Readonly<Record<string, string>>;

/** A machine with a user's runtime folder, and a folder in which commands are typed. */
function machineFor(t: TestContext) {
  const [runtime, cwd] = [folderFor(t), folderFor(t)];
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, XDG_RUNTIME_DIR: runtime };
  const run = (words: readonly string[], more: Variables = {}) => {
    const ended = spawnSync(process.execPath, [CAIRN, ...words], {
      cwd,
      env: { ...env, ...more },
      encoding: "utf8",
    });
    return { code: ended.status, out: ended.stdout, err: ended.stderr };
  };
  /** A service, started in another folder, with its data in a relative one. */
  const serve = async (origin: string, more: Variables = {}) => {
    const home = folderFor(t);
    const [port, adminPort] = [await freePort(), await freePort()];
    const own = { CAIRN_PORT: `${port}`, CAIRN_ADMIN_PORT: `${adminPort}`, CAIRN_ORIGIN: origin };
    const child = spawn(process.execPath, [CAIRN, "serve", "--data-dir", "mine"], {
      cwd: home,
      env: { ...env, ...own, ...more },
      stdio: "ignore",
    });
    t.after(() => child.kill("SIGKILL"));
    const dataDir = join(home, "mine");
    await eventually(async () => existsSync(join(dataDir, "service.json")));
    return { child, dataDir, adminPort };
  };
  return { runtime, cwd, run, serve, records: join(runtime, "cairn") };
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once("exit", () => resolve()));

test("a command finds the one service of this machine, after what is named and what is here", async (t) => {
  const { run, serve, cwd, records } = machineFor(t);
  const none = run(["doctor", "--quick", "--json"]);
  assert.match(
    none.err,
    /^data: \S+\/data \(no ledger is in this folder, and no service was found/,
  );

  const first = await serve("first.test");
  const found = run(["post", "list"]);
  assert.deepEqual([found.code, found.out], [0, "There is none.\n"]);
  assert.equal(
    found.err,
    `data: ${first.dataDir} (the service first.test, process ${first.child.pid})\n`,
  );
  const own = join(folderFor(t), "named");
  assert.match(
    run(["post", "list", "--data-dir", own]).err,
    /^There is no network in this database/,
  );

  const begun = run(["init", "--json", "--yes"]);
  assert.equal(JSON.parse(begun.out).begun, false, "the found one has begun before");
  const asked = run(["key", "rotate"]);
  assert.deepEqual([asked.code, asked.out], [1, ""]);
  assert.match(asked.err, /\nNothing was done: this writes to a service that nobody named\. /);
  assert.equal(run(["agent", "list"], { CAIRN_PORT: "1" }).code, 0, "a port names no data");

  const second = await serve("second.test");
  const several = run(["post", "list"]);
  assert.equal(several.code, 2);
  for (const { dataDir, child } of [first, second])
    assert.match(
      several.err,
      new RegExp(`\\n  ${dataDir}  \\(the service \\w+\\.test, process ${child.pid}\\)`),
    );

  assert.equal(run(["init", "--data-dir", "data"]).code, 0);
  const here = run(["post", "list"]);
  assert.deepEqual([here.code, here.err], [0, `data: ${cwd}/data (the ledger in this folder)\n`]);
  assert.equal(run(["post", "list", "--data-dir", first.dataDir]).err, "");

  const stopped = ended(second.child);
  second.child.kill("SIGTERM");
  await stopped;
  assert.deepEqual(readdirSync(records), [`${first.child.pid}.json`]);
  assert.equal(existsSync(join(second.dataDir, "service.json")), false);
});

test("a record counts with the start of its process, and from an owner that is trusted", async (t) => {
  const { run, runtime, serve, records } = machineFor(t);
  const { child, dataDir } = await serve("one.test");
  const file = join(records, `${child.pid}.json`);
  const record = JSON.parse(readFileSync(file, "utf8"));
  assert.equal(record.settings.CAIRN_DATA_DIR, dataDir, "a path is absolute");
  const machine = { etc: "/none", run: "/none", runtime, uid: process.geteuid?.() ?? -1 };
  const finds = () => candidatesOn(machine).found.some(({ record: of }) => of?.pid === child.pid);
  assert.ok(finds());
  const put = (changed: object) => writeFileSync(file, JSON.stringify({ ...record, ...changed }));
  put({ started: "1" });
  assert.ok(!finds(), "another process has had this pid");
  put({ pid: 1 });
  assert.ok(!finds());
  put({});
  chmodSync(file, 0o666);
  assert.ok(!finds(), "everybody could have written it");
  chmodSync(file, 0o600);
  chmodSync(records, 0o777);
  assert.ok(!finds(), "everybody could have put it there");
  chmodSync(records, 0o700);
  renameSync(file, join(records, "elsewhere"));
  spawnSync("ln", ["-s", "elsewhere", file]);
  assert.ok(!finds(), "a link is not followed");
  rmSync(file);
  renameSync(join(records, "elsewhere"), file);
  assert.ok(finds());

  const own = join(dataDir, "service.json");
  const older = { ...JSON.parse(readFileSync(own, "utf8")), version: "0.0.1" };
  writeFileSync(own, JSON.stringify(older));
  const words = ["task", "close", "1", "--yes", "--data-dir", dataDir];
  const refused = run(words);
  assert.deepEqual([refused.code, refused.out], [1, ""]);
  assert.match(refused.err, /is Cairn 0\.0\.1, and this is \d.*Nothing was done\.\n$/);
  assert.equal(run(["post", "list", "--data-dir", dataDir]).code, 0, "a look is allowed");
});

test("doctor compares what it looks at with what runs", async (t) => {
  const { run, serve } = machineFor(t);
  const { dataDir, adminPort } = await serve("one.test");
  const bad = (words: readonly string[], more: Variables = {}) => {
    const { out } = run(["doctor", "--quick", "--json", ...words], more);
    const findings: Record<string, string>[] = JSON.parse(out).findings;
    return findings
      .filter(({ about, state }) => about === "service" && state !== "ok")
      .map(({ state, text }) => `${state} ${text}`);
  };
  assert.deepEqual(bad([]), []);
  const [origin, ...others] = bad([], { CAIRN_ORIGIN: "other.test" });
  assert.match(origin ?? "", /^fault CAIRN_ORIGIN is other\.test here, .* runs as one\.test\./);
  assert.deepEqual(others, []);
  const elsewhere = bad(["--data-dir", "other", "--admin-port", `${adminPort}`]);
  assert.match(elsewhere[0] ?? "", /^warning Process \d+ serves one\.test from /);
  assert.match(elsewhere[1] ?? "", new RegExp(`^fault A service answers .* It has ${dataDir}\\.`));
});

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

/** Whether this process may have folders of the system of its own. */
const hasOwnMounts = () => isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;

test("as root a command becomes the owner of the data, and what that user says is used as that user", {
  skip: hasOwnMounts() ? false : "It needs root, and mounts of its own (unshare).",
}, (t) => {
  const home = mkdtempSync(join(tmpdir(), "cairn-root-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const data = join(home, "kept");
  chmodSync(home, 0o755);
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, NOBODY, NOBODY);
  writeFileSync(join(home, "cairn.env"), `CAIRN_DATA_DIR=${data}\nCAIRN_ORIGIN=root.test\n`, {
    mode: 0o640,
  });
  const [node, { PATH = "" }] = [process.execPath, process.env];
  const script = `set -eu
      mount -t tmpfs -o mode=755 none /run
      cp -a /etc ${home}/etc && mount --bind ${home}/etc /etc
      cp ${home}/cairn.env /etc/cairn.env
      cd ${home}
      cairn() { ${node} ${CAIRN} "$@"; }
      cairn init --yes > init.txt 2> said.txt
      ${node} ${CAIRN} doctor --quick --json > doctor.json
      setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups ${node} ${CAIRN} doctor 2> denied.txt && exit 9
      mkdir -m 755 /run/cairn && chown ${NOBODY} /run/cairn
      rm /etc/cairn.env
      export RUNTIME_DIRECTORY=/run/cairn CAIRN_DATA_DIR=${data} CAIRN_PORT=0 CAIRN_ADMIN_PORT=0
      setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups ${node} ${CAIRN} serve > served.txt &
      unset CAIRN_DATA_DIR CAIRN_PORT CAIRN_ADMIN_PORT
      while [ ! -e /run/cairn/$!.json ]; do sleep 0.05; done
      cairn agent ban nobody --reason No. --data-dir ${data} 2> asked.txt && exit 9
      cairn post list 2>> said.txt
      sed 's#"data_dir":"[^"]*"#"data_dir":"/root"#' /run/cairn/$!.json > /run/cairn/$!.json.new
      chown ${NOBODY} /run/cairn/$!.json.new && chmod 600 /run/cairn/$!.json.new
      mv /run/cairn/$!.json.new /run/cairn/$!.json
      cairn post list 2> foreign.txt && exit 9
      kill $! && wait $!`;
  const { status, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", script], {
    env: { PATH },
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const said = (name: string) => readFileSync(join(home, name), "utf8");
  assert.match(said("init.txt"), /A network has begun\.\n {2}origin {2}root\.test\n/);
  const [installed = "", running = ""] = said("said.txt").split("\n");
  assert.equal(installed, `data: ${data} (the settings in /etc/cairn.env)`);
  assert.match(running, new RegExp(`^data: ${data} \\(the service root\\.test, process \\d+\\)$`));
  for (const name of readdirSync(data))
    assert.equal(statSync(join(data, name)).uid, NOBODY, `${name} belongs to the service`);
  assert.equal(JSON.parse(said("doctor.json")).faults, 0);
  assert.match(said("denied.txt"), /may not read \/etc\/cairn\.env/);
  assert.match(said("asked.txt"), /There is no agent with this agent_id or handle/);
  assert.match(said("foreign.txt"), /\/root, which belongs to another user/);
});
