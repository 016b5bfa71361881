import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import { buildPackages } from "./build.ts";
import { writeProcesses } from "./test-processes.ts";

const EVERYTHING = ["src/**/*.test.ts", "test/**/*.test.ts"];

interface Run {
  readonly files: readonly string[];
  /** How many files one process runs at most; without it each has a process of its own. */
  readonly together?: number;
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** The runs of `npm test`, `npm run test:quick`, `test:long`, `fuzz` and `golden`; words may name other files. */
const RUNS: Readonly<Record<string, Run>> = {
  all: { files: EVERYTHING, together: 16, flags: ["--test-concurrency=3"] },
  quick: {
    files: [
      "src/!(db)/**/!(*.process|postgres*).test.ts",
      "src/{,db/,db/sqlite/}!(*.process).test.ts",
    ],
    together: 16,
    flags: ["--test-concurrency=3"],
    variables: { TEST_ENGINES: "sqlite" },
  },
  long: {
    files: EVERYTHING,
    together: 16,
    flags: ["--test-concurrency=3"],
    variables: {
      TEST_BACKUPS: "50",
      TEST_EDITS: "10000",
      TEST_FAILOVERS: "20",
      TEST_FAULTS: "1000",
      TEST_FUZZ: "100000",
      TEST_INSTALLS: "1",
      TEST_KILLS: "1000",
      TEST_ROUNDS: "1000",
    },
  },
  fuzz: { files: ["test/fuzz.test.ts"], variables: { TEST_FUZZ: "1000000" } },
  golden: {
    files: [
      "test/{folder-reads,effects,wire,entry-kinds,names,rules-page}.test.ts",
      "test/console-pages.process.test.ts",
      "src/cli/commands.test.ts",
      "src/surfaces/describe/agent-card.test.ts",
    ],
    variables: { TEST_GOLDEN: "write" },
  },
};

const [first = "", ...others] = process.argv.slice(2);
const [name, more] = first in RUNS ? [first, others] : ["all", process.argv.slice(2)];
const { files, together, flags = [], variables = {} } = RUNS[name]!;
const named = more.filter((word) => word.endsWith(".test.ts"));
const chosen = named.length > 0 ? named : files;
const given = together === undefined ? chosen : writeProcesses(name, chosen, together);
const args = [
  `--import=${new URL("without-async-hooks.ts", import.meta.url).href}`,
  "--test",
  "--test-global-setup=test/setup.ts",
  ...flags,
  ...more.filter((word) => !named.includes(word)),
  ...given,
];
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const env = {
  NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node"),
  ...(chosen === EVERYTHING && {
    TEST_CAIRN: await program(join(ROOT, "dist/tests", `${name}-cairn`)),
  }),
  ...variables,
  ...process.env,
};
if (process.platform === "win32")
  process.exitCode = spawnSync(process.execPath, args, { env, stdio: "inherit" }).status ?? 1;
else process.execve?.(process.execPath, [process.execPath, ...args], env);

/** Builds the package in a folder; the program that tests start, since it takes half the time of the sources. */
async function program(folder: string): Promise<string> {
  await buildPackages(folder, ["service"]);
  await stop();
  return join(folder, "service/dist/cairn.js");
}
