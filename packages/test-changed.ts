import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { ROOT, STARTS_PROCESSES } from "./test-files.ts";

/** Test files that judge all files, contracts and documents, so that every change reaches them. */
export const JUDGES = [
  "test/docs.process.test.ts",
  "test/{tidy,golden,breaking,wire,names,effects,entry-kinds,folder-reads,rules-page,conditions}.test.ts",
  "test/{one-truth,original-client,strict,version,mistakes,client-lists,order-key}.test.ts",
  "test/mcp/{intents,budget,schemas,tools,choices}.test.ts",
];

const OPENS_A_SERVICE = "src/main/service/open-service.ts";
/** Where the domains are put together. */
const PUTS_TOGETHER = /^src\/domains\/[^/]+\.ts$/;

/** The files of this branch and of the work tree that differ from another commit. */
export function changedSince(commit: string): readonly string[] {
  const git = (...words: readonly string[]) =>
    execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
  return [
    ...git("diff", "--name-only", "--no-renames", "--diff-filter=d", commit),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
}

/** Where this branch left the main one; the last commit where there is no other branch. */
export function branchPoint(): string {
  for (const main of ["origin/main", "main"])
    try {
      const words = ["merge-base", "HEAD", main];
      return execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: "pipe" }).trim();
    } catch {
      // This checkout has no such branch.
    }
  return "HEAD";
}

/** What each file imports at run time, of all that test files reach. */
async function importsOf(
  tests: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    stdin: { contents: tests.map((file) => `import "./${file}";`).join(""), resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    logLevel: "error",
    metafile: true,
    packages: "external",
    platform: "node",
    write: false,
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports.filter(({ external }) => external !== true).map(({ path }) => path),
    ]),
  );
}

/**
 * Which test files changed files reach, beside the judges:
 * - those that import one, over any number of files. The ways end where all domains are put together, in
 *   `src/domains/*.ts` and in helpers that open a service: they would lead from nearly every test to every file;
 * - those of the same folder of `src/`, which test it through the front door;
 * - those whose text names a changed file that nothing imports, or its folder.
 *
 * A file that starts processes runs the whole program. It is reached if it imports the changed file
 * itself, stands beside it or names it.
 */
export async function reachOf(
  tests: readonly string[],
): Promise<(changed: readonly string[]) => readonly string[]> {
  const imports = await importsOf(tests);
  const metFrom = (first: string, endsAt: (file: string) => boolean): ReadonlySet<string> => {
    const met = new Set([first]);
    for (const file of met)
      if (!endsAt(file)) for (const next of imports.get(file) ?? []) met.add(next);
    return met;
  };
  const opening = new Set(
    [...imports.keys()]
      .filter((file) => /^test\/.*(?<!\.test)\.ts$/.test(file))
      .filter((file) => metFrom(file, () => false).has(OPENS_A_SERVICE)),
  );
  const known = tests.map((test) => ({
    test,
    met: metFrom(
      test,
      STARTS_PROCESSES.test(test)
        ? (file) => file !== test
        : (file) => PUTS_TOGETHER.test(file) || opening.has(file),
    ),
    text: readFileSync(join(ROOT, test), "utf8"),
  }));
  return (changed) =>
    known
      .filter(({ test, met, text }) =>
        changed.some(
          (file) =>
            met.has(file) || isBeside(test, file) || (!imports.has(file) && names(text, file)),
        ),
      )
      .map(({ test }) => test);
}

function isBeside(test: string, file: string): boolean {
  if (STARTS_PROCESSES.test(test))
    return file.startsWith("src/") && dirname(test) === dirname(file);
  const [folder] = /^src\/(?:(?:platform|domains)\/)?[^/]+\//.exec(file) ?? [];
  return folder !== undefined && test.startsWith(folder);
}

function names(text: string, file: string): boolean {
  const folder = dirname(file);
  const namesFolder =
    folder !== "." && [`"${folder}"`, `"${folder}/`].some((name) => text.includes(name));
  return namesFolder || text.includes(`${basename(file)}"`);
}
