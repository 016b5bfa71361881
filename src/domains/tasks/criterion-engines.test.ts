import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { compile } from "./criterion-engines.ts";

/** Whole numbers below `n`, the same for the same seed. */
function seededNumbers(seed: string): Pick {
  let block = Buffer.alloc(0);
  let count = 0;
  return (n) => {
    if (block.length < 4) block = createHash("sha256").update(`${seed} ${count++}`).digest();
    const value = block.readUInt32BE() % n;
    block = block.subarray(4);
    return value;
  };
}

/** What both dialects share, each with a text that it may match. */
const ATOMS: readonly (readonly [string, string])[] = [
  ["a", "A"],
  ["b", "b"],
  ["é", "é"],
  ["é", "É"],
  ["_", "_"],
  ["🪨", "🪨"],
  ["石", "石"],
  ["\\.", "."],
  [".", "🪨"],
  [".", "\n"],
  ["\\d", "1"],
  ["\\D", "石"],
  ["\\w", "b"],
  ["\\W", "é"],
  ["\\s", "\n"],
  ["\\S", " "],
  ["[ab]", "B"],
  ["[^a]", "🪨"],
  ["[b-z1]", "1"],
  ["[^\\d石]", "a"],
  ["^", ""],
  ["$", ""],
  ["\\b", ""],
  ["\\B", ""],
];

const REPETITIONS = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?"];

type Pick = (n: number) => number;

/** A pattern of at most `depth` levels, and a text that it often matches as a whole. */
function randomCase(pick: Pick, depth: number): readonly [string, string] {
  const inner = () => randomCase(pick, depth - 1);
  const [pattern, text] = depth === 0 ? ["", ""] : inner();
  const [other, otherText] = depth === 0 ? ["", ""] : inner();
  switch (depth === 0 ? 0 : pick(6)) {
    case 1:
      return [`(${pattern}|${other})`, pick(2) === 0 ? text : otherText];
    case 2:
      return [`(?:${pattern})${REPETITIONS[pick(8)]}`, text.repeat(1 + pick(2))];
    case 3:
    case 4:
      return [pattern + other, text + otherText];
    default:
      return ATOMS[pick(ATOMS.length)] ?? ["", ""];
  }
}

/** How often RE2 and V8 agree that a whole text matches, and that it does not. */
function compareDialects(cases: number, whole: (pattern: string) => string) {
  const pick = seededNumbers("dialects");
  const tally = { matches: 0, misses: 0, differences: 0 };
  for (let i = 0; i < cases; i++) {
    const [pattern, text] = randomCase(pick, 4);
    const flags = ["", "i", "m", "s", "ims"][pick(5)] ?? "";
    const re2 = compile({ kind: "regex", pattern, flags })(text) === "ok";
    const v8 = new RegExp(whole(pattern), `uy${flags}`).test(text);
    if (re2 !== v8) tally.differences++;
    else if (re2) tally.matches++;
    else tally.misses++;
  }
  return tally;
}

test("RE2 and V8 agree on 10,000 safe patterns", () => {
  const { matches, misses, differences } = compareDialects(
    10_000,
    (pattern) => `(?:${pattern})(?![^])`,
  );
  assert.equal(differences, 0);
  assert.ok(matches > 1_000 && misses > 1_000, `${matches} matches, ${misses} misses`);
});

test("RE2 and V8 agree on 10,000 safe patterns (control)", () => {
  const { differences } = compareDialects(1_000, (pattern) => pattern);
  assert.ok(differences > 20, "a prefix is no full match");
});
