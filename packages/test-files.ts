import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export const STARTS_PROCESSES = /\.process\.test\.ts$/;

const NEAR_MAX = 5;

/** Words of a pattern by which its tests can be looked for: no escapes, and nothing short. */
const WORDS = /[a-z0-9]{3,}/g;
const ESCAPE = /\\./g;
/** What `eachEngine` and its kind put behind a name. */
const ENGINES = "sqlite postgres";

/** The test files that glob patterns match, without those that others match, in the order of their names. */
export const filesOf = (
  patterns: readonly string[],
  without: readonly string[] = [],
): readonly string[] =>
  globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", ...without] })
    .filter((path) => path.endsWith(".test.ts"))
    .sort();

/** The test files that words of a command name: a path, a pattern or a folder. Throws a sentence for a word that names none. */
export function filesNamed(words: readonly string[], all: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const files = filesOf([word, `${word}/**/*.test.ts`]);
    if (files.length > 0) return files;
    throw new Error(`No test file is named ${word}.${near(word, all)}`);
  });
}

/** The files whose name has the most in common with a word. */
function near(word: string, all: readonly string[]): string {
  const partsOf = (path: string) => new Set(path.split(/[/.*-]+/).filter(isTelling));
  const parts = partsOf(word);
  const found = all
    .map((path) => ({ path, shared: partsOf(path).intersection(parts).size }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared)
    .slice(0, NEAR_MAX);
  return found.length === 0 ? "" : ` Near it: ${found.map(({ path }) => path).join(", ")}`;
}

const isTelling = (part: string): boolean => !["", "src", "test", "ts", "process"].includes(part);

/**
 * The files that may have a test whose name matches: each word of the pattern is in their text. A name
 * can be put together while its file runs, so that `packages/none-ran.ts` judges in the end.
 */
export function filesWithName(pattern: string, files: readonly string[]): readonly string[] {
  const ways = pattern
    .replaceAll(ESCAPE, " ")
    .toLowerCase()
    .split("|")
    .map((way) => way.match(WORDS) ?? []);
  const found = files.filter((file) => {
    const text = `${readFileSync(join(ROOT, file), "utf8").toLowerCase()} ${ENGINES}`;
    return ways.some((words) => words.every((word) => text.includes(word)));
  });
  if (found.length > 0) return found;
  throw new Error(
    `No test's name matches "${pattern}": no test file has these words. To find a test: grep -rn "${pattern}" src test`,
  );
}
