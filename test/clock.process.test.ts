import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const DAY_S = 86_400;

/** Loaded into a process: its clock, and the seconds that pass there, are ahead as a file says. */
const AHEAD = `import { readFileSync } from "node:fs";
const [wall, steady] = [Date.now, performance.now.bind(performance)];
const ahead = (name) => 1000 * JSON.parse(readFileSync(process.env.TEST_AHEAD_FILE, "utf8"))[name];
Date.now = () => wall() + ahead("clock_s");
performance.now = () => steady() + ahead("passed_s");`;

test("a clock that jumps by days stops writes until the operator accepts it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-clock-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [file, adminPort] = [join(folder, "ahead.json"), String(await freePort())];
  const be = (clock_s: number, passed_s: number) =>
    writeFileSync(file, JSON.stringify({ clock_s, passed_s }));
  be(0, 0);
  writeFileSync(join(folder, "ahead.mjs"), AHEAD);
  const variables = {
    CAIRN_DATA_DIR: join(folder, "data"),
    CAIRN_ADMIN_PORT: adminPort,
    NODE_OPTIONS: `--import ${join(folder, "ahead.mjs")}`,
    TEST_AHEAD_FILE: file,
  };
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
