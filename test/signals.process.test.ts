import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./ports.ts";
import { type Program, spawnCairn } from "./process.ts";
import { RUNTIMES, withoutRuntimes } from "./runtimes.ts";
import { folderFor } from "./site.ts";

/** Only what starts the product sees a signal from its first line on: of this checkout, or of the built package. */
const LAUNCHER = join(import.meta.dirname, "../bin/cairn.mjs");
const BUILT = process.env["TEST_CAIRN"];
const OURS: Program = [process.execPath, BUILT ? join(BUILT, "../../bin/cairn.mjs") : LAUNCHER];

/** The folder of a service that was stopped; one that was killed leaves more. */
const STOPPED = ["cairn.db", "operator.key", "serve.lock"];

/** Without the room for the next start, which a service lays aside once it serves. */
const leftIn = (dataDir: string): readonly string[] =>
  readdirSync(dataDir)
    .filter((name) => name !== "spare-room")
    .sort();

/** A service that has just been spawned, in a folder that is not there yet. */
async function spawned(folder: string, program: Program) {
  const dataDir = join(folder, "data");
  const port = await freePort();
  const ports = ["--port", String(port), "--admin-port", "0"];
  const began_ms = performance.now();
  const child = spawnCairn(["serve", ...ports, "--data-dir", dataDir], {}, program);
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close");
  /** Until it has said so; a program that ends, or cannot be started, never will. */
  const said = async (what: string) => {
    const over = ended.then(() => assert.fail(`It ended and never said ${what}: ${output}`));
    over.catch(() => {}); // Where it has said so, nobody waits for its end here.
    while (!output.includes(`"msg":"${what}"`))
      await Promise.race([once(child.stdout, "data"), over]);
    return performance.now() - began_ms;
  };
  return { child, port, dataDir, said, ended, output: () => output };
}

/** So many moments from the spawn on, each a twentieth of a start behind the one before. */
const MOMENTS = 26;

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

test("a signal at any moment of a start is a clean stop", async (t) => {
  const first = await spawned(folderFor(t), OURS);
  const start_ms = await first.said("serving");
  first.child.kill("SIGTERM");
  assert.deepEqual(await first.ended, [0, null]);

  let stopped = 0;
  // On a machine that is busier by now more moments lie before the first line: later ones make up for them.
  for (let i = 0; i < MOMENTS || stopped <= MOMENTS / 2; i++) {
    const moment = i / 20;
    const signal = SIGNALS[i % SIGNALS.length];
    const { child, dataDir, ended, output } = await spawned(folderFor(t), OURS);
    await pause(moment * start_ms);
    child.kill(signal);
    const [code, by] = await ended;
    const where = `${signal} after ${moment} of a start: ${code} ${by}\n${output()}`;
    if (code === 0) {
      stopped++;
      assert.deepEqual(existsSync(dataDir) ? leftIn(dataDir) : STOPPED, STOPPED, where);
    } else {
      // The system ends a program that has not begun; nothing of it is there.
      assert.deepEqual([by, existsSync(dataDir), output()], [signal, false, ""], where);
    }
  }
});

/** Ways to start a service; an old Node starts the one of the checkout in a child, and never the package. */
const WAYS = [
  ["the launcher", OURS, false],
  ["Node 20", [RUNTIMES["Node 20"], LAUNCHER], withoutRuntimes],
] as const;

for (const [name, program, skip] of WAYS)
  test(`${name}: more SIGHUPs are still a clean stop, however late they come`, {
    skip,
  }, async (t) => {
    const { child, dataDir, said, ended, output } = await spawned(folderFor(t), program);
    await said("serving");
    child.kill("SIGHUP");
    const end = Promise.race([ended, pause(60_000, "late", { ref: false })]);
    let isOver = false;
    void ended.then(() => (isOver = true));
    for (let sent = 0; !isOver; sent++) {
      child.kill("SIGHUP");
      await pause(sent % 3);
    }
    assert.deepEqual(await end, [0, null], output());
    assert.match(output(), /"msg":"stopped"/);
    assert.deepEqual(leftIn(dataDir), STOPPED);
  });

test("a SIGHUP that comes long after the first one is no other signal", async (t) => {
  const { child, said, ended, output, port } = await spawned(folderFor(t), OURS);
  await said("serving");
  const upload = connect(port, "127.0.0.1"); // The stop waits for it, for 10 seconds.
  await once(upload, "connect");
  const head = "POST /api/v1/register HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n";
  upload.write(`${head}Content-Type: application/json\r\n\r\n{`);
  await pause(100);
  child.kill("SIGHUP");
  await said("stopping");
  await pause(1_500); // A signal of another kind would have been forgotten by then.
  child.kill("SIGHUP");
  upload.end("}");
  assert.deepEqual(await ended, [0, null], output());
});
