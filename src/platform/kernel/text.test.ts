import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { inOneOverInParts } from "../../../test/least-time.ts";
import { normalized } from "./text.ts";

const FORMS = ["NFKC", "NFKD"] as const;

/** Marks of several classes, doubled ones, halfwidth sound marks, and letters before and between them. */
const POINTS = [
  ..."\u0300\u0316\u0327\u0334\u0344\u0345\u0f71\u0f73\u3099\u05b0\u064e\uff9e\uff9f",
  ..."\u034f\u0903\ufe0f aあカ\u1f82\u00e9\u00b4\ud83d\udc31",
];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...POINTS), fc.nat(20)), { maxLength: 20 })
  .map((parts) => parts.map(([point, times]) => point.repeat(times)).join(""));

/** Canonical classes above zero, as the order of a mark before the last one shows. */
const isNonStarter = (point: string): boolean =>
  point === "\u0345" || `\u0345${point}`.normalize("NFD") !== `\u0345${point}`;

function longestRun(text: string): number {
  let [longest, run] = [0, 0];
  for (const point of text.normalize("NFKD")) {
    run = isNonStarter(point) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

it("normalises as the standard does wherever no run of marks is longer than 30", () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...FORMS), (text, form) => {
      const found = normalized(text, form);
      assert.ok(longestRun(found) <= 30);
      if (longestRun(text) <= 30) assert.equal(found, text.normalize(form));
      assert.equal(found.replaceAll("\u034f", "").length > 0, text.replaceAll("\u034f", "") !== "");
    }),
  );
});

it("puts a joiner where the 31st non-starter of NFKD would stand, and no earlier", () => {
  for (const [mark, times] of [
    ["\u0300", 30],
    ["\uff9e", 30],
    ["\u0344", 15],
  ] as const) {
    assert.ok(!normalized(`a${mark.repeat(times)}`, "NFKD").includes("\u034f"), mark);
    assert.ok(normalized(`a${mark.repeat(times + 1)}`, "NFKD").includes("\u034f"), mark);
  }
  assert.ok(normalized(`\u1f82${"\u0300".repeat(28)}`, "NFKD").includes("\u034f"));
  assert.ok(!normalized(`\u1f82${"\u0300".repeat(27)}`, "NFKD").includes("\u034f"));
});

it("takes time that grows with the length of a text and not with its square", () => {
  const part = `${"\u0344".repeat(2_000)}${"\u0f73".repeat(2_000)}`;
  const ratio = inOneOverInParts((text) => normalized(text, "NFKC"), part, 20);
  assert.ok(ratio < 5, `20 times the text took ${20 * ratio} times as long`);
});
