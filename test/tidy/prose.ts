import type { Checker } from "./source.ts";

/** Every file of source code that ARCHITECTURE.md names exists, so that it leads there in one step. */
export const architectureNamesFiles: Checker = (files) => {
  const text = files.find(({ path }) => path === "ARCHITECTURE.md")?.source ?? "";
  const known = files.map(({ path }) => `/${path}`);
  return [...new Set(text.match(/(?<![\w.<>/-])[\w-][\w/-]*\.ts\b/g))]
    .filter((name) => !known.some((path) => path.endsWith(`/${name}`)))
    .map((name) => `ARCHITECTURE.md names ${name}, which does not exist`);
};
