import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Compares a text with the checked-in file of that name in `test/golden/`, so that whatever it
 * describes changes only as a visible diff. `npm run golden` rewrites the file instead.
 */
export function matchesGolden(name: string, actual: string): void {
  const file = new URL(`golden/${name}`, import.meta.url);
  if (process.env["TEST_GOLDEN"] === "write") {
    writeFileSync(file, actual);
    return;
  }
  const golden = readFileSync(file, "utf8");
  if (actual === golden) return;
  const [was, is] = [golden, actual].map((text) => new Set(text.split("\n")));
  const shown = [...was!.difference(is!)].map((line) => `- ${line}`).slice(0, CHANGES_SHOWN / 2);
  failWith(name, [...shown, ...[...is!.difference(was!)].map((line) => `+ ${line}`)]);
}

const ROOT = new URL("../", import.meta.url);

/** Compares the table of a page under a heading with the rows that are printed; `npm run golden` rewrites them. */
export function matchesTable(page: string, heading: string, rows: readonly string[]): void {
  const text = readFileSync(new URL(page, ROOT), "utf8");
  const section = text.indexOf(`\n${heading}\n`);
  const begins = text.indexOf("\n|", section) + 1;
  assert.ok(section >= 0 && begins > 0, `${page} has no table under ${heading}.`);
  const ends = begins + (/\n(?!\|)/.exec(text.slice(begins))?.index ?? text.length);
  matchesGolden(`../../${page}`, `${text.slice(0, begins)}${rows.join("\n")}${text.slice(ends)}`);
}

const CHANGES_SHOWN = 20;
const CHANGE_LENGTH = 200;

/** A whole document in the report of a test would hide what changed. */
function failWith(name: string, changes: readonly string[]): never {
  const shown = changes.slice(0, CHANGES_SHOWN).map((line) => line.slice(0, CHANGE_LENGTH));
  const left = changes.length - shown.length;
  const all = left === 0 ? shown : [...shown, `and ${left} more`];
  return assert.fail(
    `test/golden/${name} changed. If that is meant, run \`npm run golden\` and read its diff.\n${all.join("\n")}`,
  );
}

/** Where two JSON values differ, one line for each place. */
function* differences(was: unknown, is: unknown, place = ""): Generator<string> {
  if (isTree(was) && isTree(is)) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differences(was[key], is[key], `${place}/${key}`);
  } else if (was !== is) {
    yield `${place}: ${JSON.stringify(was) ?? "nothing"} became ${JSON.stringify(is) ?? "nothing"}`;
  }
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const LINE_MAX = 120;

/**
 * JSON in lines of at most 120 characters: whatever fits stands in one line, an only member in the
 * line of its parent, plain values and objects of one such side by side. `before` begins the first line.
 */
function printed(value: unknown, indent = "", before = ""): string {
  const line = inLine(value);
  if (!isTree(value) || indent.length + before.length + line.length < LINE_MAX) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{ ", " }"];
  const members = membersOf(value);
  const [[name, only] = []] = members;
  if (name !== undefined && members.length === 1)
    return `${open}${name}${printed(only, indent, before + open + name)}${close}`;
  const lines = linesOf(members, `${indent}  `);
  return `${open.trim()}\n${lines.join(",\n")}\n${indent}${close.trim()}`;
}

function linesOf(members: readonly Member[], indent: string): readonly string[] {
  const lines: string[] = [];
  let isOpen = false; // The last line may take one more.
  for (const [name, member] of members) {
    const text = `${name}${printed(member, indent, name)}`;
    const isShort = !isTree(member) || isOneValue(member);
    const longer = `${lines.at(-1)}, ${text}`;
    if (isShort && isOpen && longer.length < LINE_MAX) lines.splice(-1, 1, longer);
    else lines.push(`${indent}${text}`);
    isOpen = isShort;
  }
  return lines;
}

/** `{ "type": "string" }`, or a reference. */
const isOneValue = (value: object): boolean =>
  Object.keys(value).length === 1 && !Object.values(value).some(isTree);

/** A member, after its name. */
type Member = readonly [name: string, member: unknown];

const membersOf = (value: object): readonly Member[] =>
  Object.entries(value).map(([key, member]) => [
    Array.isArray(value) ? "" : `${JSON.stringify(key)}: `,
    member,
  ]);

function inLine(value: unknown): string {
  if (!isTree(value)) return JSON.stringify(value);
  const members = membersOf(value).map(([name, member]) => `${name}${inLine(member)}`);
  if (Array.isArray(value)) return `[${members.join(", ")}]`;
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Compares a JSON document; a failure names each place that changed. */
export function matchesGoldenJson(name: string, actual: object): void {
  const text = `${printed(JSON.parse(JSON.stringify(actual)))}\n`;
  if (process.env["TEST_GOLDEN"] !== "write") {
    const golden: unknown = JSON.parse(
      readFileSync(new URL(`golden/${name}`, import.meta.url), "utf8"),
    );
    const changes = [...differences(golden, JSON.parse(text))];
    if (changes.length > 0) failWith(name, changes);
  }
  matchesGolden(name, text);
}
