import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** One text file of the project; the path is relative to the root, with slashes. */
export interface Source {
  readonly path: string;
  readonly source: string;
}

/** Looks at all files at once; an empty answer means that the rule is kept. */
export type Checker = (files: readonly Source[]) => string[];

export const isTest = (path: string): boolean => /^(?:test|bench)\/|\.test\.ts$/.test(path);
/** `src/domains/feed`, `src/main`: the folder that the table of floors names. */
export const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, /^src\/(?:platform|domains)\//.test(path) ? 3 : 2)
    .join("/");

export const isProduct = (path: string): boolean => /^src\/.*\.ts$/.test(path) && !isTest(path);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOT_OURS = new Set(["node_modules", "dist", "data", ".git", ".test"]);
const TEXTS = /\.(?:ts|json|md|py|sql)$|^\.ci\/run$/;

/** Every text file of the project, but `tidy.test.ts`: it is full of bad examples. */
export function readProject(): Source[] {
  const files: Source[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      const path = relative(ROOT, file).replaceAll("\\", "/");
      if (NOT_OURS.has(entry.name) || path === "test/tidy.test.ts") continue;
      if (entry.isDirectory()) visit(file);
      else if (TEXTS.test(path)) files.push({ path, source: readFileSync(file, "utf8") });
    }
  };
  visit(ROOT);
  return files;
}
