import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const EVERYTHING = ["src/**/*.test.ts", "test/**/*.test.ts"];

interface Run {
  readonly files: readonly string[];
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** The runs of `npm test`, `npm run test:quick`, `test:long`, `fuzz` and `golden`. */
const RUNS: Readonly<Record<string, Run>> = {
  all: { files: EVERYTHING, flags: ["--test-concurrency=3"] },
  quick: {
    files: ["src/**/!(*.process|postgres*).test.ts"],
    variables: { TEST_ENGINES: "sqlite" },
  },
  long: {
    files: EVERYTHING,
    flags: ["--test-concurrency=3"],
    variables: {
      TEST_BACKUPS: "50",
      TEST_EDITS: "10000",
      TEST_FAILOVERS: "20",
      TEST_FUZZ: "100000",
      TEST_INSTALLS: "1",
      TEST_KILLS: "1000",
      TEST_ROUNDS: "1000",
    },
  },
  fuzz: { files: ["test/fuzz.test.ts"], variables: { TEST_FUZZ: "1000000" } },
  golden: {
    files: [
      "test/{folder-reads,wire,entry-kinds}.test.ts",
      "test/console-pages.process.test.ts",
      "src/cli/commands.test.ts",
    ],
    variables: { TEST_GOLDEN: "write" },
  },
};

const [name = "", ...rest] = process.argv.slice(2);
const run = RUNS[name];
const { files, flags = [], variables = {} } = run ?? { ...RUNS["all"], files: EVERYTHING };
const more = run === undefined ? process.argv.slice(2) : rest;
const args = ["--test", "--test-global-setup=test/setup.ts", ...flags, ...more, ...files];
const NODE_COMPILE_CACHE = fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url));
const env = { NODE_COMPILE_CACHE, ...variables, ...process.env };
if (process.platform === "win32")
  process.exitCode = spawnSync(process.execPath, args, { env, stdio: "inherit" }).status ?? 1;
else process.execve?.(process.execPath, [process.execPath, ...args], env);
