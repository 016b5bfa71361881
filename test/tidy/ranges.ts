import { type Checker, isProduct, type Source } from "./source.ts";

const INSERTED = /\b(?:insertion|unnumbered)\(\s*(?:inserting\(\s*)?"(\w+)"/g;
const INDIRECT = /\bunnumbered\((\w+)\)/g;
const QUERY = /^(?:export )?const (\w+) = prepared\([\s\S]*?^\);/gm;
const RANGE = /"(?:\w+\.)?\w+",\s*"[<>]=?"|\bbetween\b|\.orderBy\(/;

const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/** The tables that `Store.insert` fills, where transactions do not see each other. */
function insertedTables(files: readonly Source[]): string[] {
  return files.flatMap(({ source }) => {
    const named = found(source, INDIRECT).flatMap((name) =>
      found(source, new RegExp(`\\b${name} = inserting\\(\\s*"(\\w+)"`, "g")),
    );
    return [...found(source, INSERTED), ...named];
  });
}

/**
 * Rows of such a table are committed in another order than that of their ids, and beside transactions
 * that would have to know of them: a range of them that a write reads may lack one.
 */
export const writesReadNoInsertedRange: Checker = (files) => {
  const product = files.filter(({ path }) => isProduct(path));
  const tables = insertedTables(product).join("|");
  if (tables === "") return [];
  const reads = new RegExp(`(?:selectFrom|[jJ]oin)\\(\\s*"(?:${tables})\\b`);
  const ranges = product.flatMap(({ source }) =>
    [...source.matchAll(QUERY)]
      .filter(([block]) => reads.test(block) && RANGE.test(block))
      .map(([, name = ""]) => name),
  );
  return product.flatMap(({ path, source }) =>
    ranges
      .filter((name) => new RegExp(`\\b${name}\\.(?:all|first)\\(\\s*tx\\b`).test(source))
      .map(
        (name) => `${path} reads the range ${name} in a write, and Store.insert fills its table`,
      ),
  );
};
