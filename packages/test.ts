import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { stop } from "esbuild";
import { buildPackages } from "./build.ts";
import { branchPoint, changedSince, JUDGES, reachOf } from "./test-changed.ts";
import { filesNamed, filesOf, filesWithName, ROOT } from "./test-files.ts";
import { folderOfRun, writeProcesses } from "./test-processes.ts";

const EVERYTHING = ["src/**/*.test.ts", "test/**/*.test.ts"];

/**
 * Files that measure processor time, fuzz, race, audit, or ask nodes that lie: a third of the time of
 * `npm run test:quick`, which leaves them to `npm test` and to the changes that reach them.
 */
const SLOW = [
  "src/{platform/chain,client}/**/{acts,block,faults,lookup}.test.ts",
  "src/cli/**/{log,mirror,lying-log,nano-audit,rules-audit}.test.ts",
  "src/domains/{coin,market}/audit/*.test.ts",
  "src/platform/db/sqlite/flush.test.ts",
  "src/domains/{feed/together,messages/inboxes,removals/removals}.test.ts",
  "src/domains/{identity/directory/directory,repositories/files/packs,search/search}.test.ts",
  "src/domains/market/{orders/matrix,payments/{liars,quorum,slips},payouts/due-flood}.test.ts",
  "src/{main/service/criterion-pool,domains/tasks/{criterion*,starter-tasks}}.test.ts",
  "src/domains/{requests/farm,treasury/once,views/changes/{since,since-scan}}.test.ts",
  "src/surfaces/{a2a/fuzz,server,connections/{room,unsent}}.test.ts",
];

interface Run {
  readonly files: readonly string[];
  readonly without?: readonly string[];
  /** How many files one process runs at most; without it each has a process of its own. */
  readonly together?: number;
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * The runs of `npm test`, `npm run test:quick`, `test:long`, `fuzz` and `golden`. Words may name other
 * files; `--changed` takes those that the changes of this branch reach, or with `=<commit>` since that.
 */
const RUNS: Readonly<Record<string, Run>> = {
  all: { files: EVERYTHING, together: 16, flags: ["--test-concurrency=3"] },
  quick: {
    files: [
      "src/{!(platform),platform/!(db)}/**/!(*.process|postgres*).test.ts",
      "src/platform/db/{,sqlite/}!(*.process).test.ts",
      ...JUDGES,
    ],
    without: SLOW,
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
      "test/{folder-reads,effects,wire,entry-kinds,names,rules-page,conditions}.test.ts",
      "test/console-pages.process.test.ts",
      "src/cli/commands.test.ts",
      "src/surfaces/describe/agent-card.test.ts",
    ],
    variables: { TEST_GOLDEN: "write" },
  },
};

const [first = "", ...others] = process.argv.slice(2);
const [name, words] = first in RUNS ? [first, others] : ["all", process.argv.slice(2)];
const { files: patterns, without = [], together, flags = [], variables = {} } = RUNS[name]!;

const NAME_PATTERN = /^--test-name-pattern(?:=(.*))?$/s;
const CHANGED = /^--changed(?:=(.+))?$/;

const changed = words.map((word) => CHANGED.exec(word)).find((match) => match !== null);
/** The name that a test shall have may be a word of its own, as Node takes it. */
const isName = (i: number) => NAME_PATTERN.test(words[i - 1] ?? "") && !words[i - 1]?.includes("=");
const named = words.filter((word, i) => !word.startsWith("-") && !isName(i));
const passedOn = words.filter((word) => !named.includes(word) && !CHANGED.test(word));
const namePatterns = words.flatMap((word, i) => {
  const match = NAME_PATTERN.exec(word);
  return match === null ? [] : [match[1] ?? words[i + 1] ?? ""];
});

/** The test files to run. Throws a sentence where the words of the command leave none. */
async function chosen(): Promise<readonly string[]> {
  const all = filesOf(EVERYTHING);
  let files = filesOf(patterns, without);
  if (named.length > 0) files = filesNamed(named, all);
  else if (changed !== undefined) files = await filesChanged(all, changed[1] ?? branchPoint());
  return namePatterns.reduce((left, pattern) => filesWithName(pattern, left), files);
}

async function filesChanged(all: readonly string[], since: string): Promise<readonly string[]> {
  const changes = changedSince(since);
  if (changes.length === 0)
    throw new Error(`Nothing differs from ${since}, so no test is reached.`);
  const reached = [...new Set([...filesOf(JUDGES), ...(await reachOf(all))(changes)])].sort();
  console.log(
    `${changes.length} files differ from ${since.slice(0, 12)}. They reach ${reached.length} of ${all.length} test files.`,
  );
  return reached;
}

let files: readonly string[] = [];
try {
  files = await chosen();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const isEverything = patterns === EVERYTHING && named.length === 0 && changed === undefined;
const folder = folderOfRun();
const given = together === undefined ? files : writeProcesses(folder, files, together);
const NONE_RAN = new URL("none-ran.ts", import.meta.url).href;
const reporters = [
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  `--test-reporter=${NONE_RAN}`,
  "--test-reporter-destination=stderr",
];
const judgesNames =
  namePatterns.length > 0 && !passedOn.some((word) => word.startsWith("--test-reporter"));
const args = [
  `--import=${new URL("without-async-hooks.ts", import.meta.url).href}`,
  "--test",
  "--test-global-setup=test/setup.ts",
  ...flags,
  ...(judgesNames ? reporters : []),
  ...passedOn,
  ...given,
];
const env = {
  NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node"),
  ...(isEverything && {
    TEST_CAIRN: await program(join(folder, "cairn")),
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
