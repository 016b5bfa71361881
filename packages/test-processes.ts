import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, STARTS_PROCESSES } from "./test-files.ts";

/** Hooks of a file; `node:test` runs them around the tests of all files of a process. */
export const HOOKS = /import \{[^}]*\b(?:before|after)(?:Each)?\b[^}]*\} from "node:test"/;

/**
 * A file with one of these is alone: hooks, replaced clocks and functions, measured memory, and an
 * await while it loads, during which the tests of other files would begin.
 */
const OF_A_PROCESS = [HOOKS, /\bmock\./, /\.memoryUsage\(/, /^(?:const .* = )?await /m];

/**
 * Test files by the process that runs them. Those that start processes and those of `OF_A_PROCESS` are
 * alone. The others share a process with up to `together - 1` files of other folders: a small file takes
 * less time than the start of its process. Files that start processes wait for them, while the shared
 * processes compute, so that they are spread over the same time; the short ones of the rest come last.
 */
function processesOf(files: readonly string[], together: number): readonly (readonly string[])[] {
  const kindOf = (file: string) => {
    if (STARTS_PROCESSES.test(file)) return "starting";
    const source = readFileSync(join(ROOT, file), "utf8");
    return OF_A_PROCESS.some((pattern) => pattern.test(source)) ? "alone" : "sharing";
  };
  const { starting = [], alone = [], sharing = [] } = Object.groupBy(files, kindOf);
  const count = Math.ceil(sharing.length / together);
  const shared = Array.from({ length: count }, (_, n) => sharing.filter((_, i) => i % count === n));
  const single = (file: string) => [file];
  return [...spread(starting.map(single), shared), ...alone.map(single)];
}

/** The elements of both lists in their orders, each list from the beginning to the end. */
function spread<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return lists
    .flatMap((list) => list.map((element, i) => ({ element, at: (i + 0.5) / list.length })))
    .sort((one, other) => one.at - other.at)
    .map(({ element }) => element);
}

const RUNS = join(ROOT, "dist/tests");

/** A folder of this process alone, so that two runs in one checkout do not disturb each other; ended ones lose theirs. */
export function folderOfRun(): string {
  mkdirSync(RUNS, { recursive: true });
  for (const pid of readdirSync(RUNS)) if (!isAlive(Number(pid))) remove(pid);
  remove(`${process.pid}`);
  const folder = join(RUNS, `${process.pid}`);
  mkdirSync(folder);
  return folder;
}

const remove = (name: string) => rmSync(join(RUNS, name), { recursive: true, force: true });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Writes a file for each process, which imports its test files; returns their paths. `node --test` runs files in the
 * order of their names.
 */
export function writeProcesses(
  folder: string,
  files: readonly string[],
  together: number,
): readonly string[] {
  return processesOf(files, together).map((imported, n) => {
    const [only = "", ...others] = imported;
    const name = others.length > 0 ? "shared" : only.replace(".test.ts", "").replaceAll("/", "-");
    const path = join(folder, `${String(n).padStart(3, "0")}-${name}.test.mjs`);
    const lines = imported.map((file) => `import "${pathToFileURL(join(ROOT, file)).href}";\n`);
    writeFileSync(path, lines.join(""));
    return path;
  });
}
