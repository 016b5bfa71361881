import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { WATCHDOG_MS } from "../postgres-store.ts";
import { OURS } from "../process.ts";
import { OF_THIS_MACHINE, openTestService } from "../service.ts";
import { type Bridge, openBridge } from "./bridge.ts";
import { forgetPeak, peakOf, type Row, tableOf } from "./measured.ts";
import { MODES, type ModeName } from "./modes.ts";
import { type HostileNetwork, openHostile } from "./network.ts";

/** `TEST_TABLE=1` prints what each client did in each mode. */
const PRINTS = process.env["TEST_TABLE"] === "1";

const NAMES = Object.keys(MODES) as readonly ModeName[];
const rows: Row[] = [];
let service: Awaited<ReturnType<typeof openTestService>>;
let network: HostileNetwork;

before(async () => {
  service = await openTestService("sqlite", "hostile", {}, { clock: OF_THIS_MACHINE });
  network = await openHostile(service.url);
});
after(async () => {
  await network.close();
  await service.close();
  if (PRINTS) console.log(tableOf(rows));
});

/** An answer is shorter than this; 16 MiB are a few times the noise of a process. */
const CLIENT_ANSWER_MIB = 4;
const BRIDGE_ANSWER_MIB = 2;
const TIMES_MAX = 8;
/** What a collector has not taken back yet does not count as an answer's. */
const NOISE_MIB = 24;

test("the client's calls end, whatever the network answers", async (t) => {
  const { token } = await service.register("caller");
  const program = join(import.meta.dirname, "caller.ts");
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [program, token], { stdio: [...stdio] });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout);
  child.stdin.write(`${network.at("honest")}\n`); // The first call loads what all need.
  await once(lines, "line");
  for (const mode of NAMES) {
    forgetPeak(child);
    const before_MB = peakOf(child);
    const began = performance.now();
    child.stdin.write(`${network.at(mode)}\n`);
    const [exit] = await once(lines, "line");
    const row = rowOf({ client: "client", mode, exit, began, child, before_MB });
    assert.ok(
      (row.grown_MB ?? 0) <= TIMES_MAX * CLIENT_ANSWER_MIB + NOISE_MIB,
      `${mode}: ${row.grown_MB} MiB more`,
    );
  }
  assert.deepEqual(network.stolen, []);
});

/** What a bridge makes of a call: `ok`, a code, or `cancelled` where no answer came until then. */
async function called(
  bridge: Bridge,
  name: string,
  patience_ms: number,
  given: object = {},
): Promise<string> {
  const id = bridge.say("tools/call", { name, arguments: given });
  const answer = await bridge.answer(id, patience_ms);
  const ping = bridge.say("ping");
  assert.ok(await bridge.answer(ping, WATCHDOG_MS), "the bridge is deaf");
  if (answer === null) {
    bridge.notify("notifications/cancelled", { requestId: id });
    return "cancelled";
  }
  if (answer.error !== undefined) return String(answer.error.code);
  const { isError, content } = answer.result;
  if (isError !== true) return "ok";
  const { error, message } = JSON.parse(content[0].text);
  assert.ok(String(message).length < 2_000_000);
  return String(error);
}

test("a bridge answers its host, whatever the network does", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { token } = await service.register("bridged");
  const file = join(folder, "token");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const bridge = await openBridge(OURS, ["--url", network.at("turning"), "--token-file", file]);
  t.after(() => bridge.process.kill());
  for (const mode of NAMES) {
    network.turn(mode);
    forgetPeak(bridge.process);
    const before_MB = peakOf(bridge.process);
    const began = performance.now();
    const exit = await called(bridge, "me_get", 800);
    const row = rowOf({ client: "bridge", mode, exit, began, child: bridge.process, before_MB });
    assert.ok(
      (row.grown_MB ?? 0) <= TIMES_MAX * BRIDGE_ANSWER_MIB + NOISE_MIB,
      `${mode}: ${row.grown_MB} MiB more`,
    );
  }
  network.turn("mute");
  const id = bridge.say("tools/call", { name: "me_get", arguments: {} });
  await bridge.answer(id, 100);
  bridge.notify("notifications/cancelled", { requestId: id });
  assert.equal(await bridge.close(WATCHDOG_MS), 0);
  assert.deepEqual(network.stolen, []);
});

const ACTS = NAMES.filter((name) => name.startsWith("act-"));

test("a bridge with an act key signs nothing that a network invents", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "token");
  network.turn("honest");
  const words = ["--url", network.at("turning"), "--token-file", file, "--act-key"];
  const bridge = await openBridge(OURS, words);
  t.after(() => bridge.process.kill());
  assert.equal(await called(bridge, "identity_register", WATCHDOG_MS), "ok");
  const from = network.heard.length;
  const closes_at = OF_THIS_MACHINE.now() + 7_200;
  const asked = { text: "A request.", ends: "accepted", closes_at };
  for (const mode of ACTS) {
    network.turn(mode);
    const before_MB = peakOf(bridge.process);
    const began = performance.now();
    const exit = await called(bridge, "request_create", WATCHDOG_MS, asked);
    rowOf({ client: "signer", mode, exit, began, child: bridge.process, before_MB });
    assert.equal(exit, "unasked_act", mode);
  }
  assert.deepEqual(
    network.heard.slice(from).filter(({ body }) => body.includes("act_signature")),
    [],
  );
  network.turn("honest");
  assert.equal(await called(bridge, "request_create", WATCHDOG_MS, asked), "ok");
  assert.equal(await bridge.close(WATCHDOG_MS), 0);
});

/** Modes that a bridge meets before it has a token: then it asks for a puzzle. */
const NEWCOMERS = NAMES.filter((name) => /^puzzle|^html$|^objects$|^mute$|^redirect-w/.test(name));

test("a bridge without a token works on no puzzle that is none, and keeps nothing", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "token");
  const url = network.at("turning");
  const bridge = await openBridge(OURS, ["--url", url, "--token-file", file, "--act-key"]);
  t.after(() => bridge.process.kill());
  const from = network.heard.length;
  for (const mode of NEWCOMERS) {
    network.turn(mode);
    const before_MB = peakOf(bridge.process);
    const began = performance.now();
    const exit = await called(bridge, "identity_register", 800);
    rowOf({ client: "newcomer", mode, exit, began, child: bridge.process, before_MB });
    assert.ok(exit !== "ok", mode);
  }
  assert.deepEqual(
    network.heard.slice(from).filter(({ path }) => path.endsWith("/register")),
    [],
  );
  assert.equal(await bridge.close(WATCHDOG_MS), 0);
  assert.deepEqual(readdirSync(folder), []);
});

interface Ending extends Pick<Row, "client" | "mode" | "exit"> {
  readonly began: number;
  readonly child: ChildProcess;
  readonly before_MB: number | null;
}

/** A row of the table, and by how much the process has grown. */
function rowOf({ began, child, before_MB, ...row }: Ending) {
  const seconds = (performance.now() - began) / 1000;
  const peak_MB = peakOf(child);
  rows.push({ ...row, seconds, peak_MB });
  const grown_MB = peak_MB === null || before_MB === null ? null : peak_MB - before_MB;
  return { grown_MB };
}
