import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const DAY_S = 86_400;

/** Loaded into a process: its clock, and the seconds that pass there, are ahead as a file says. */
const AHEAD = `import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
const [wall, steady, uptime] = [Date.now, performance.now.bind(performance), os.uptime];
const ahead = (name) => JSON.parse(readFileSync(process.env.TEST_AHEAD_FILE, "utf8"))[name];
Date.now = () => wall() + 1000 * ahead("clock_s");
performance.now = () => steady() + 1000 * ahead("passed_s");
os.uptime = () => uptime() + ahead("passed_s");
syncBuiltinESMExports();`;

/** A service whose clock, and that of its commands, a test sets. */
async function settable(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-clock-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "ahead.mjs"), AHEAD);
  const adminPort = String(await freePort());
  const clockOf = (name: string) => {
    const file = join(folder, name);
    // The process reads it at any time, and never a half of it.
    const be = (clock_s: number, passed_s = 0) => {
      writeFileSync(`${file}.next`, JSON.stringify({ clock_s, passed_s }));
      renameSync(`${file}.next`, file);
    };
    be(0);
    const variables = {
      CAIRN_DATA_DIR: join(folder, "data"),
      CAIRN_ADMIN_PORT: adminPort,
      NODE_OPTIONS: `--import ${join(folder, "ahead.mjs")}`,
      TEST_AHEAD_FILE: file,
    };
    return { be, variables, run: (...args: string[]) => runCairn(args, variables) };
  };
  return { own: clockOf("service.json"), shell: clockOf("shell.json"), adminPort };
}

test("a clock that jumps by days stops writes until the operator accepts it", async (t) => {
  const { own, adminPort } = await settable(t);
  const { be, variables } = own;
  const service = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const say = () => post("/post", { body: "hello" }, { token });
  const readiness = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).text();

  be(2 * DAY_S, 0);
  assert.equal((await say()).status, 201, "a minute is given to a clock that is corrected");
  be(2 * DAY_S + 61, 61);
  // By its clock the connection was idle for a minute, and may just be closed.
  const refused = await say().catch(say);
  assert.deepEqual([refused.status, refused.body.error], [503, "storage_unavailable"]);
  assert.match(await readiness(), /The clock has jumped ahead by 2 days/);
  const accepted = await runCairn(["clock", "accept"], variables);
  assert.equal(accepted.code, 0, accepted.err);
  await eventually(async () => (await say()).status === 201);
  assert.doesNotMatch(await readiness(), /clock/);
  assert.equal(await service.stop("SIGTERM"), 0);
});

test("a command with a wrong clock writes nothing, and ends nothing", async (t) => {
  const { own, shell } = await settable(t);
  const service = await startService(own.variables);
  t.after(() => service.stop("SIGKILL"));
  const { get, post } = clientOf(service.url);
  const { agent_id, token } = (await post("/register")).body;
  const say = () => post("/post", { body: "hello" }, { token });
  assert.equal((await say()).status, 201);
  const entriesNow = async () => (await get("/since?after_id=0&limit=1000")).body.entries.length;
  await eventually(async () => (await entriesNow()) >= 3);
  const mark = () => shell.run("agent", "own", agent_id);
  // Commands compare their clock with what the service stores of its own.
  const database = new DatabaseSync(join(own.variables.CAIRN_DATA_DIR, "cairn.db"), {
    readOnly: true,
  });
  t.after(() => database.close());
  await eventually(() => database.prepare("SELECT 1 FROM clock_boot").get() !== undefined);

  const before = await entriesNow();
  for (const days of [41, 5, -5]) {
    shell.be(days * DAY_S);
    const { code, out, err } = await mark();
    assert.notEqual(code, 0, `${days} days: ${out}`);
    assert.match(err, /This machine's clock shows .*Z, and by the service's it is .*Z/);
  }
  assert.equal(await entriesNow(), before);
  shell.be(0);
  const marked = await mark();
  assert.equal(marked.code, 0, marked.err);
  assert.ok((await say()).body.post.created_at < Date.now() / 1_000 + 60);

  // The machine's clock jumps, so the service holds; a command does not follow it either.
  for (const clock of [own, shell]) clock.be(10 * DAY_S, 61);
  await say().catch(say);
  assert.notEqual((await shell.run("agent", "own", "--not", agent_id)).code, 0);
  assert.equal(await service.stop("SIGTERM"), 0);

  // A restart does not follow it, too.
  const again = await startService(own.variables);
  t.after(() => again.stop("SIGKILL"));
  const { body } = await clientOf(again.url).get("/kpi");
  assert.ok(body.as_of < Date.now() / 1_000 + DAY_S, "it goes on by the time that has passed");
});
