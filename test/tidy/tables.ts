import { type Checker, folderOf, isProduct, type Source } from "./source.ts";

const TABLES = /export interface \w+Tables \{([^}]*)\}/g;
const WRITES =
  /\b(?:insertInto|replaceInto|updateTable|deleteFrom|mergeInto|insertNumbered|insertion|inserting|adding|table)\(\s*"(\w+)/g;
/** The text of a row that the operator can take away, by `domains/removals/removable.ts`. */
const REMOVES = /\bremovable\(\{[^}]*?\btable: "(\w+)"/g;
const RAW_WRITES = /\b(?:insert\s+into|delete\s+from|update)\s+"?(\w+)"?\s*(?:\(|set\b|where\b)/gi;
const READS = /\b(?:selectFrom|(?:inner|left|right|full|cross)Join|from|using)\(\s*\[?\s*"(\w+)/g;
const RAW_READS = /\b(?:from|join)\s+"?(\w+)/gi;
const RAW_SQL = /\bsql(?:<[^`]*>)?`([^`]*)`/g;

const names = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "");

/** The tables that a text of the source changes. */
export const tablesWritten = (text: string): string[] =>
  [WRITES, RAW_WRITES, REMOVES].flatMap((pattern) => names(text, pattern));

/** The folder that declares, and so owns, each table. */
function ownersOf(files: readonly Source[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { path, source } of files)
    if (/^src\/(?:platform|domains)\/\w+\/tables\.ts$/.test(path))
      for (const block of names(source, TABLES))
        for (const table of names(block, /^\s*(\w+):/gm)) owners.set(table, folderOf(path));
  return owners;
}

/** Tables that a file touches and another folder owns. */
function foreign(file: Source, found: readonly string[], owners: Map<string, string>): string[] {
  const others = found.filter((table) => {
    const owner = owners.get(table);
    return owner !== undefined && owner !== folderOf(file.path);
  });
  return [...new Set(others)].sort();
}

/** The engines store entries for the ledger, which knows their form by these files. */
const STORES_ENTRIES = /^src\/platform\/db\/entry-/;

export const tablesAreWrittenByTheirOwner: Checker = (files) => {
  const owners = ownersOf(files);
  return files
    .filter(({ path }) => isProduct(path) && !STORES_ENTRIES.test(path))
    .flatMap((file) =>
      foreign(file, tablesWritten(file.source), owners).map(
        (table) => `${file.path} writes ${table}, which is ${owners.get(table)}'s`,
      ),
    );
};

/** The tables of other folders that each file reads: a join is not an import, but it is a tie. */
export function crossFolderReads(files: readonly Source[]): Record<string, string[]> {
  const owners = ownersOf(files);
  const reads: Record<string, string[]> = {};
  for (const file of files) {
    if (!isProduct(file.path)) continue;
    const raw = names(file.source, RAW_SQL).flatMap((text) => names(text, RAW_READS));
    const tables = foreign(file, [...names(file.source, READS), ...raw], owners);
    if (tables.length > 0) reads[file.path] = tables;
  }
  return Object.fromEntries(Object.entries(reads).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const MIGRATION = /^src\/platform\/db\/migrations\/(?:sqlite|postgres)\/(.+)$/;

/** Both engines have the same migrations; what is in them is compared in `src/platform/db/schema.test.ts`. */
export const migrationsComeInPairs: Checker = (files) => {
  const found = files.flatMap(({ path }) => MIGRATION.exec(path)?.[1] ?? []);
  return [...new Set(found)]
    .filter((name) => found.indexOf(name) === found.lastIndexOf(name))
    .map((name) => `the migration ${name} is missing for one engine`);
};

const STORED_ENTRIES = /\bledger_entry\b/;
/** The ledger itself, and what copies or compares whole tables. */
const KNOWS_ENTRIES = /^src\/(?:platform\/(?:ledger|db)|cli\/(?:audit|transfer))\//;

/** How an entry is stored is the ledger's own affair: others ask `src/platform/ledger/entry-queries.ts`. */
export const entriesAreReadByTheLedger: Checker = (files) =>
  files
    .filter(({ path }) => isProduct(path) && path.endsWith(".ts") && !KNOWS_ENTRIES.test(path))
    .filter(({ source }) => STORED_ENTRIES.test(source))
    .map(({ path }) => `${path} names the table of the ledger's entries`);

const STEPS = ["-- expand", "-- contract"];

/** What the program of before would notice in a table that it knows. */
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/^\s*(drop|update|delete|truncate)\b/im, "changes what is there"],
  [
    /\balter\s+table\s+(?:only\s+)?\w+\s+(?!add\s+column\b)/i,
    "alters a table by more than a column",
  ],
  [
    /\badd\s+column\b(?=[^;]*\bnot\s+null\b)(?![^;]*\bdefault\b)/i,
    "adds a column that must be given",
  ],
];
const NEW_TABLES = /\bcreate\s+table\s+(\w+)/gi;
const BOUND_TABLES =
  /\bcreate\s+(?:unique\s+index|(?:constraint\s+)?trigger)\b[^;]*?\bon\s+(\w+)/gi;

/** A migration says whether the program of before still runs after it, and an expansion only adds. */
export const migrationsSayTheirStep: Checker = (files) =>
  files.flatMap(({ path, source }) => {
    const name = MIGRATION.exec(path)?.[1] ?? "";
    if (name === "") return [];
    const [first = "", ...rest] = source.split("\n");
    if (!STEPS.includes(first)) return [`${path} begins neither with ${STEPS.join(" nor with ")}`];
    if (first !== "-- expand") return [];
    const sql = rest.join("\n").replace(/--.*$/gm, "");
    const made = names(sql, NEW_TABLES);
    const bound = names(sql, BOUND_TABLES).filter((table) => !made.includes(table));
    return [
      ...CONTRACTIONS.filter(([pattern]) => pattern.test(sql)).map(([, what]) => what),
      ...bound.map((table) => `demands more of ${table}, which is there`),
    ].map((what) => `${path} ${what}, so it is no expansion`);
  });
