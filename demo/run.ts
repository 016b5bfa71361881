import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { audit } from "../src/cli/audit/command.ts";
import { endOf } from "../src/cli/command/runner.ts";
import { ACTORS_MAX } from "./agents.ts";
import { openPlace } from "./place.ts";
import { live } from "./story.ts";

const { values } = parseArgs({
  options: {
    agents: { type: "string", default: "24" },
    days: { type: "string", default: "30" },
    seed: { type: "string", default: "cairn" },
    folder: { type: "string", default: "./data/demo" },
  },
});

/** A whole number of at least 1; ends the process with a sentence when it is none. */
function count(name: "agents" | "days", max: number): number {
  const n = Number(values[name]);
  if (Number.isInteger(n) && n >= 1 && n <= max) return n;
  console.error(`--${name} is a whole number, 1 to ${max}.`);
  process.exit(2);
}

const DAYS_MAX = 365;
const cast = { agents: count("agents", ACTORS_MAX), days: count("days", DAYS_MAX) };
const folder = resolve(values.folder);
const data = join(folder, "data");
rmSync(data, { recursive: true, force: true }); // Every run begins a network of its own.
mkdirSync(data, { recursive: true });

const begin = performance.now();
const place = await openPlace(data, values.seed, console.error);
try {
  await live(place, cast, console.log);
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  console.log(`\n${cast.days} days were lived in ${seconds} s. Now the ledger is audited:\n`);
  const report = join(folder, "audit.html");
  const state = join(data, "heads.json");
  const { exit_code, text } = await endOf(audit, [place.url, "--html", report, "--state", state]);
  console.log(text);
  console.log(`\nThe report with its plots: ${report}`);
  process.exitCode = exit_code;
} finally {
  await place.close();
}
