import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "runtimes/node_modules");
const INSTALL = "npm ci --prefix test/runtimes";

/** Other runtimes and tools, which `test/runtimes/` brings: the gate needs them, `npm ci` does not. */
export const RUNTIMES = {
  "Node 18": join(FOLDER, "node-18/bin/node"),
  "Node 20": join(FOLDER, "node-20/bin/node"),
  "Node 22": join(FOLDER, "node-22/bin/node"),
  "Node 24": join(FOLDER, "node-24/bin/node"),
  Deno: join(FOLDER, "@deno/linux-x64-glibc/deno"),
  Bun: join(FOLDER, "@oven/bun-linux-x64/bin/bun"),
  pnpm: join(FOLDER, "pnpm/bin/pnpm.cjs"),
  publint: join(FOLDER, "publint/src/cli.js"),
} as const;

const isThere = Object.values(RUNTIMES).every((path) => existsSync(path));

if (!isThere && process.env["TEST_RUNTIMES"] === "required")
  throw new Error(`The gate needs other runtimes: ${INSTALL}`);

/** For the option `skip` of a test: false, or why it is skipped and what to do about that. */
export const withoutRuntimes: string | false = isThere ? false : `They are missing: ${INSTALL}`;

/** The runtimes that run JavaScript, each with the words before a file: this Node, and the others. */
export const PROGRAMS: readonly (readonly [name: string, ...words: string[]])[] = [
  ["this Node", process.execPath],
  ["Node 20", RUNTIMES["Node 20"]],
  ["Node 22", RUNTIMES["Node 22"]],
  ["Node 24", RUNTIMES["Node 24"]],
  ["Bun", RUNTIMES.Bun],
  ["Deno", RUNTIMES.Deno, "run", "--allow-all", "--node-modules-dir=manual"],
];

/** Loads a package of `test/runtimes/`. */
export const loadTool: (name: string) => unknown = createRequire(join(FOLDER, "x.js"));
