import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { spread } from "./figure.ts";
import { startCairn, startTools, usedOf } from "./processes.ts";
import { post } from "./requests.ts";

// A post beside a bare program with the same guarantees: `npm run bench:post -- [other checkouts]`. Each side is
// measured in turns, warm, with 48 connections. CPU is that of all threads for each answer, and of the service until it
// is quiet again: seals, the index of words and the check of seals are in it.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "10" },
    "duration-ms": { type: "string", default: "3000" },
    "warm-ms": { type: "string", default: "10000" },
  },
});
const ENTRIES = 32_000;
const CONNECTIONS = 48;
const WRITERS = 32;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

interface Side {
  readonly name: string;
  readonly port: number;
  readonly requests: readonly string[];
  cpu_s(): number;
  quiet(): Promise<unknown>;
  stop(): unknown;
}

async function bare(): Promise<Side> {
  const child = fork(new URL("./bare-post.ts", import.meta.url));
  child.send("start");
  const [port] = await once(child, "message");
  const requests = Array.from({ length: WRITERS }, (_, n) => post(`sk_${n}`));
  const cpu_s = () => usedOf(child.pid);
  return { name: "bare", port, requests, cpu_s, quiet: () => pause(500), stop: () => child.kill() };
}

async function service(path: string, n: number): Promise<Side> {
  const checkout = pathToFileURL(`${resolve(path)}/`);
  const { fill }: typeof import("./fill.ts") = await import(
    new URL("bench/fill.ts", checkout).href
  );
  const { dataDir, tokens } = await fill(ENTRIES);
  const cairn = await startCairn(dataDir, ["--seal-interval-s", "1"], checkout);
  await cairn.settled();
  const requests = tokens.slice(0, WRITERS).map(post);
  return { ...cairn, name: n === 0 ? "this" : path, requests };
}

const sides = [await bare()];
for (const [n, path] of [".", ...positionals].entries()) sides.push(await service(path, n));
const tools = startTools();
const rows = new Map(
  sides.map(({ name }) => [
    name,
    { cpu: [] as number[], per_s: [] as number[], p99: [] as number[] },
  ]),
);

async function measure(
  { name, port, requests, ...side }: Side,
  duration_ms: number,
  isKept = true,
) {
  const before_s = side.cpu_s();
  const load = { port, requests, duration_ms, connections: CONNECTIONS };
  const { per_s, p99_ms, answers } = await tools.load(load);
  await side.quiet();
  const row = rows.get(name);
  if (!isKept || row === undefined) return;
  row.cpu.push(((side.cpu_s() - before_s) / answers) * 1_000_000);
  row.per_s.push(per_s);
  row.p99.push(p99_ms);
}

for (const side of sides) {
  await side.quiet();
  await measure(side, Number(values["warm-ms"]), false);
}
for (let round = 0; round < Number(values.rounds); round++)
  for (const side of round % 2 === 0 ? sides : sides.toReversed())
    await measure(side, Number(values["duration-ms"]));
tools.stop();
for (const side of sides) await side.stop();

const shown = (list: readonly number[], digits: number) => {
  const { value, min, max } = spread(list);
  return `${value.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
};
const [least] = rows.values();
console.table(
  Object.fromEntries(
    [...rows].map(([name, { cpu, per_s, p99 }]) => [
      name,
      {
        "CPU, µs a post": shown(cpu, 0),
        "to bare": shown(
          cpu.map((used, round) => used / (least?.cpu[round] ?? Number.NaN)),
          2,
        ),
        "posts/s": shown(per_s, 0),
        "p99, ms": shown(p99, 1),
      },
    ]),
  ),
);
