import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { currentLog } from "../../src/domains/tlog/log.ts";
import { vkeyOf } from "../../src/platform/kernel/tlog/note.ts";
import { operate } from "../operator.ts";
import { openTestService } from "../service.ts";
import { forgetPeak, peakOf, type Row, tableOf } from "./measured.ts";
import { MODES, type ModeName } from "./modes.ts";
import { type HostileNetwork, openHostile } from "./network.ts";
import type { Reader } from "./reader.ts";

/** `TEST_TABLE=1` also meets the modes that take a reader's whole patience, and prints what each client did. */
const PRINTS = process.env["TEST_TABLE"] === "1";

/** A minute passes until an answer counts as none, and three attempts follow each other. */
const SLOW = new Set<ModeName>(["mute", "head-alone", "drip", "drip-heads", "early-hints", "busy"]);
/** Of these every answer that a reader gets is none of a network, or none at all. */
const isOther = (mode: ModeName) => /^(act|puzzle)-/.test(mode);
const NAMES = (Object.keys(MODES) as ModeName[]).filter((mode) => !isOther(mode));
/** Modes that end as `close` does: those who try again after it meet that one alone. */
const OUTAGES = new Set<ModeName>([
  ...(["endless-heads", "trailers", "chunk-extension"] as const),
  ...(["reset", "half", "not-http", "two-lengths"] as const),
]);
const FAST = NAMES.filter((mode) => !SLOW.has(mode));
const PATIENT = PRINTS ? FAST : FAST.filter((mode) => !OUTAGES.has(mode));

const rows: Row[] = [];
const folder = mkdtempSync(join(tmpdir(), "cairn-readers-"));
let service: Awaited<ReturnType<typeof openTestService>>;
let network: HostileNetwork;
let words: readonly string[];

before(async () => {
  service = await openTestService("sqlite", "readers");
  const ada = await service.register("ada");
  await operate(service.service, "log init");
  for (let n = 0; n < 300; n++) await ada.post("/post", { body: `Post ${n}.` });
  await service.seal();
  const log = await currentLog(service.service.store.read);
  assert.ok(log);
  const policy = join(folder, "policy");
  writeFileSync(policy, `log ${vkeyOf(log.key)}\nquorum none\n`);
  words = [folder, policy, ada.agent_id];
  network = await openHostile(service.url);
});
after(async () => {
  await network.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
  if (PRINTS) console.log(tableOf(rows));
});

/** The largest answer of each reader, in MiB: a page of entries, a bundle of a log, any answer of a call. */
const ANSWER_MIB: Readonly<Record<Reader | "python", number>> = {
  verify: 8,
  links: 8,
  bundle: 8,
  audit: 8,
  log: 16,
  mirror: 16,
  monitor: 16,
  python: 4,
};
const TIMES_MAX = 8;
/** What a collector has not taken back yet does not count as an answer's. */
const NOISE_MIB = 40;

interface Program {
  readonly child: ChildProcess;
  /** Says a line, and resolves to the one that comes. */
  ask(line: string): Promise<string>;
}

function opened(file: string, args: readonly string[]): Program {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "inherit"], cwd: folder });
  const lines = createInterface(child.stdout);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The reader has ended: ${code}.`);
  });
  ended.catch(() => {});
  return {
    child,
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const [answer] = await Promise.race([once(lines, "line"), ended]);
      return answer;
    },
  };
}

const reader = (): Program =>
  opened(process.execPath, [join(import.meta.dirname, "reader.ts"), ...words]);

/** Those that have loaded what all modes need: of the others the growth says nothing. */
const isWarm = new Set<ChildProcess>();

/** Asks a program in a mode, notes a row of the table, and bounds its memory. */
async function metBy(
  program: Program,
  client: Reader | "python",
  mode: ModeName,
  exitOf: (answer: string) => Row["exit"],
): Promise<string> {
  const { child, ask } = program;
  forgetPeak(child);
  const before_MB = isWarm.has(child) ? peakOf(child) : null;
  isWarm.add(child);
  const began = performance.now();
  const answer = await ask(
    client === "python" ? network.at(mode) : `${client} ${network.at(mode)}`,
  );
  const seconds = (performance.now() - began) / 1_000;
  const peak_MB = peakOf(child);
  rows.push({ client, mode, exit: exitOf(answer), seconds, peak_MB });
  if (peak_MB !== null && before_MB !== null)
    assert.ok(
      peak_MB - before_MB <= TIMES_MAX * ANSWER_MIB[client] + NOISE_MIB,
      `${client}, ${mode}: ${Math.round(peak_MB - before_MB)} MiB more`,
    );
  return answer;
}

/** What a reader may end with, and what it may say and leave behind. */
function checked(client: Reader, mode: ModeName, answer: string): void {
  const { exit_code, text, left } = JSON.parse(answer);
  const what = `${client}, ${mode}: exit ${exit_code}, ${text.slice(0, 300)}`;
  assert.ok([0, 1, 3, 4, 5].includes(exit_code), what);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/, what);
  if (mode === "honest") assert.equal(exit_code, 0, what);
  if (exit_code === 0) return;
  assert.notEqual(mode, "honest");
  if (exit_code === 5 && client !== "audit") {
    assert.ok(!text.includes("\n") || client === "log", what);
    assert.ok(text.length <= 3_000, `${what}: ${text.length} characters`);
    assert.ok(client === "bundle" || text.includes("http://127.0.0.1:"), what);
  }
  const kept = left.filter((name: string) => !/^(copy|page|chain)$/.test(name));
  assert.deepEqual(kept, [], `${what}: nothing is remembered`);
  if (exit_code === 5) assert.ok(!left.includes("chain"), `${what}: nothing is saved`);
}

const exitIn = (answer: string): Row["exit"] => JSON.parse(answer).exit_code;

/** The tool that reads most goes first; the seals alone are asked for in the same way. */
const READERS: readonly Reader[] = ["verify", "audit", "bundle", "log", "mirror", "monitor"];
const ONLY_ALL: readonly Reader[] = ["links"];

for (const client of PRINTS ? [...READERS, ...ONLY_ALL] : READERS)
  test(`${client} ends with a code of its table, whatever the network answers`, async (t) => {
    const program = reader();
    t.after(() => program.child.kill());
    const faults: unknown[] = [];
    for (const mode of client === "audit" ? PATIENT : FAST)
      await metBy(program, client, mode, exitIn)
        .then((answer) => checked(client, mode, answer))
        .catch((error: Error) => faults.push(error.message));
    assert.deepEqual(faults, []);
    assert.deepEqual(network.stolen, []);
  });

test("a reader's patience ends", { skip: !PRINTS }, async () => {
  const all = [...READERS, ...ONLY_ALL].flatMap((client) =>
    [...SLOW].map(async (mode) => {
      const program = reader();
      try {
        checked(client, mode, await metBy(program, client, mode, exitIn));
      } finally {
        program.child.kill();
      }
    }),
  );
  await Promise.all(all);
});

const PYTHON = "python3";
const isThere = spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"]);
const skip = isThere.status === 0 ? false : "there is no python3 of 3.8 or later";

test("the Python client's calls, lists and changes end", { skip }, async (t) => {
  for (const [from, to] of [
    [join(import.meta.dirname, "reader.py"), "reader.py"],
    [join(import.meta.dirname, "../../clients/python/cairn.py"), "cairn.py"],
  ] as const)
    cpSync(from, join(folder, to));
  const program = opened(PYTHON, ["-B", "reader.py", ...(PRINTS ? [] : ["hurried"])]);
  t.after(() => program.child.kill());
  for (const mode of PRINTS ? NAMES : PATIENT) {
    const answer = await metBy(program, "python", mode, (said) => said);
    assert.doesNotMatch(answer, /UNCAUGHT/, mode);
  }
  assert.deepEqual(network.stolen, []);
});
