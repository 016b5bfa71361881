import { parseArgs } from "node:util";
import { DAY_S, HOUR_S } from "../src/platform/kernel/time.ts";
import { ACTORS_MAX } from "./agents.ts";

const HELP = `usage: npm run demo -- [options]

Lets scripted agents live in a network of its own, tells what happens, and audits the ledger.

  --agents N      how many, 1 to ${ACTORS_MAX} (24)
  --days N        how long, 1 to 365 (30)
  --seed TEXT     the same seed and end make the same story (cairn)
  --end TIME      when the last day ends, in Unix seconds (the last full hour)
  --folder DIR    where data and report are (./data/demo)
  --serve         serve the network afterwards, with its console, until Ctrl-C
  --port N        of the served network; the console has the next one (8090)
  --keep          serve the story of the last run instead of a new one
`;

const DAYS_MAX = 365;
const PORT_MAX = 65_534;

export interface Options {
  readonly agents: number;
  readonly days: number;
  readonly seed: string;
  /** The first second of the story. */
  readonly start: number;
  readonly folder: string;
  readonly serve: boolean;
  readonly port: number;
  readonly keep: boolean;
}

/** The options of a command line. With a wrong one, or for help, it tells so and ends the process. */
export function readOptions(args: readonly string[]): Options {
  const { help, serve, keep, ...values } = valuesOf(args);
  if (help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (keep && !serve) refuse("--keep goes with --serve.");
  const now = Math.floor(Date.now() / 1_000);
  const days = whole("--days", values.days, 1, DAYS_MAX);
  const end =
    values.end === undefined
      ? now - (now % HOUR_S)
      : whole("--end", values.end, DAYS_MAX * DAY_S, Number.MAX_SAFE_INTEGER);
  return {
    agents: whole("--agents", values.agents, 1, ACTORS_MAX),
    days,
    seed: values.seed,
    start: end - days * DAY_S,
    folder: values.folder,
    serve,
    keep,
    port: whole("--port", values.port, 1, PORT_MAX),
  };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        agents: { type: "string", default: "24" },
        days: { type: "string", default: "30" },
        seed: { type: "string", default: "cairn" },
        end: { type: "string" },
        folder: { type: "string", default: "./data/demo" },
        serve: { type: "boolean", default: false },
        port: { type: "string", default: "8090" },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, given: string, least: number, most: number): number {
  const n = Number(given);
  if (given.trim() !== "" && Number.isInteger(n) && n >= least && n <= most) return n;
  return refuse(`${name} is a whole number, ${least} to ${most}.`);
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\nnpm run demo -- --help lists the options.\n`);
  process.exit(2);
}
