import { fileIn, without } from "./beside.ts";

const inside = (path: string): string => fileIn("runtimes", path);

/** Other runtimes and tools. */
export const RUNTIMES = {
  "Node 18": inside("node-18/bin/node"),
  "Node 20": inside("node-20/bin/node"),
  "Node 22": inside("node-22/bin/node"),
  "Node 24": inside("node-24/bin/node"),
  Deno: inside("@deno/linux-x64-glibc/deno"),
  Bun: inside("@oven/bun-linux-x64/bin/bun"),
  pnpm: inside("pnpm/bin/pnpm.cjs"),
  publint: inside("publint/src/cli.js"),
} as const;

export const withoutRuntimes = without("runtimes");

/** The runtimes that run JavaScript, each with the words before a file: this Node, and the others. */
export const PROGRAMS: readonly (readonly [name: string, ...words: string[]])[] = [
  ["this Node", process.execPath],
  ["Node 20", RUNTIMES["Node 20"]],
  ["Node 22", RUNTIMES["Node 22"]],
  ["Node 24", RUNTIMES["Node 24"]],
  ["Bun", RUNTIMES.Bun],
  ["Deno", RUNTIMES.Deno, "run", "--allow-all", "--node-modules-dir=manual"],
];
