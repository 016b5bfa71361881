import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { checkoutOf } from "./checkout.ts";

const SUBJECT_MAX = 72;

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** A part of the gate. */
  readonly part: string;
  /** The files that the part needs to find the fault; all unless given. */
  readonly files?: readonly string[];
  readonly reported: RegExp;
}

/** A folder that imports no other. */
const KERNEL = ["*", ".gitignore", "src/platform/kernel/**/*"];

const FAULTS: readonly Fault[] = [
  {
    name: "a type error",
    file: "src/platform/kernel/lru.ts",
    text: 'export const TOPICS_MAX: number = "1";\n',
    part: "tsc -p .",
    files: KERNEL,
    reported: /src\/platform\/kernel\/lru\.ts\(\d+,\d+\): error TS2322/,
  },
  {
    name: "a fault that lint finds",
    file: "src/platform/kernel/lru.ts",
    text: "export let topicsMax = 1;\ntopicsMax == 2;\n",
    part: "biome ci",
    files: KERNEL,
    reported: /lint\/suspicious\/noDoubleEquals/,
  },
  {
    name: "dead code",
    file: "src/platform/kernel/lru.ts",
    text: "export const TOPICS_MAX = 1;\n",
    part: "knip",
    reported: /TOPICS_MAX +src\/platform\/kernel\/lru\.ts/,
  },
  {
    name: "a kind of entry without a document",
    file: "src/domains/feed/entries.ts",
    text: 'export const postLiked = entryKind({\n  kind: "post_liked",\n  ref: "<post_id>",\n  fields: { post_id: field.id },\n  when: "A post is liked",\n});\n',
    part: "node --test test/entry-kinds.test.ts",
    reported: /post_liked/,
  },
];

test("the gate refuses a copy with one fault, whichever part has to find it", (t) => {
  const whole = checkoutOf(t);
  const gate = `${manifest.scripts.check} && ${manifest.scripts.test}`;
  for (const { name, file, text, part, files, reported } of FAULTS) {
    assert.ok(gate.includes(part) || part.startsWith("node --test "), part);
    const { folder, run } = files === undefined ? whole : checkoutOf(t, files);
    const path = join(folder, file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before + text);
    const outcome = run(part);
    writeFileSync(path, before);
    assert.notEqual(outcome.code, 0, name);
    assert.match(outcome.text, reported, name);
  }
});

/** The subjects of the commits that the main branch lacks. None in a checkout without its history. */
function newSubjects(): string[] {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { encoding: "utf8", stdio: "pipe" });
    const base = git("merge-base", "HEAD", "origin/main").trim();
    return git("log", "--format=%s", `${base}..HEAD`).split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

const isFit = (subject: string) =>
  subject.length <= SUBJECT_MAX && /^[a-z][\w, /.-]*: \S/.test(subject);

test("the subject of a new commit names its area and has at most 72 characters", () => {
  assert.deepEqual(
    newSubjects().filter((subject) => !isFit(subject)),
    [],
  );
  assert.ok(isFit("feed: refuse a reply to a hidden post"));
  for (const bad of ["Refuse a reply", `feed: ${"x".repeat(67)}`]) assert.equal(isFit(bad), false);
});
