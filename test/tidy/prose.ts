import { posix } from "node:path";
import type { Checker, Source } from "./source.ts";

/** Every file of source code that ARCHITECTURE.md names exists, so that it leads there in one step. */
export const architectureNamesFiles: Checker = (files) => {
  const text = files.find(({ path }) => path === "ARCHITECTURE.md")?.source ?? "";
  const known = files.map(({ path }) => `/${path}`);
  return [...new Set(text.match(/(?<![\w.<>/-])[\w-][\w/-]*\.ts\b/g))]
    .filter((name) => !known.some((path) => path.endsWith(`/${name}`)))
    .map((name) => `ARCHITECTURE.md names ${name}, which does not exist`);
};

const COLUMNS_MAX = 120;
/** Code and tables keep their lines, and so does a single link or path that is longer. */
const FENCED = /^( *)(```|~~~).*\n[\s\S]*?^\1\2$/gm;
const UNBREAKABLE = /^\s*(?:\||#|(?:[-*>] )?\S+$)/;

const isPage = ({ path }: Source): boolean =>
  path.endsWith(".md") && !path.startsWith("test/golden/");

export const markdownIsWrapped: Checker = (files) =>
  files.filter(isPage).flatMap(({ path, source }) =>
    source
      .replaceAll(FENCED, (block) => block.replaceAll(/[^\n]/g, ""))
      .split("\n")
      .flatMap((line, i) =>
        line.length > COLUMNS_MAX && !UNBREAKABLE.test(line)
          ? [`${path}:${i + 1} has ${line.length} columns; ${COLUMNS_MAX} are the limit`]
          : [],
      ),
  );

/** Sentences begin with their subject. The specification keeps its own words. */
const OPENERS = (
  "is was are were has had may can cannot must will became becomes came comes happens happened stands " +
  "stood waits counts answers tells follows reads looks goes earns does changes takes shows says runs " +
  "protects passes lies differs breaks begins ends gets sends writes asks holds needs remains gives"
).replaceAll(" ", "|");
const OPENING = new RegExp(
  `\\b[Ww]hoever\\b|(?:^\\s*|[.!?] |\\* |// |#+ |- )(?:Who|What) (?:${OPENERS})\\b` +
    `|(?<![.\\w])(?:test|it|describe|eachEngine)\\(\\s*["\`](?:who|what) (?:${OPENERS})\\b`,
  "gm",
);

export const sentencesBeginWithTheirSubject: Checker = (files) =>
  files
    .filter((file) => isPage(file) || file.path.endsWith(".ts"))
    .filter(({ path }) => path !== "docs/spec.md" && path !== "test/tidy/prose.ts")
    .flatMap(({ path, source }) =>
      [...source.matchAll(OPENING)].map(
        ([found]) => `${path} opens a sentence without a subject: ${found.trim()}`,
      ),
    );

const INDEX = "docs/README.md";
/** Pages that are many and of one kind have an index of their own. */
const INDEXES = [INDEX, "docs/decisions/README.md"];

export const everyPageIsLinked: Checker = (files) => {
  const linked = new Set(
    files
      .filter(({ path }) => INDEXES.includes(path))
      .flatMap(({ path, source }) =>
        [...source.matchAll(/\]\(([^)#]+)/g)].map(([, to = ""]) =>
          posix.join(posix.dirname(path), to),
        ),
      ),
  );
  return files
    .filter((file) => isPage(file) && file.path.startsWith("docs/") && file.path !== INDEX)
    .filter(({ path }) => !linked.has(path))
    .map(({ path }) => `${INDEX} does not link ${path}`);
};
