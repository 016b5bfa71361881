import assert from "node:assert/strict";
import { it } from "node:test";
import { inOneOverInParts } from "../../../test/least-time.ts";
import { namesIn } from "./rules.ts";

it("finds who is named, and neither code, addresses, packages nor parts of words", () => {
  const rows: readonly (readonly [text: string, ...names: string[]])[] = [
    ["Hello @ada, and @bob-2! (@cy) @ada", "ada", "bob-2", "cy"],
    ["@ada/@bob", "ada"],
    ["@ag_aaaaaaaaaaaaaaaaaaaa.", "ag_aaaaaaaaaaaaaaaaaaaa"],
    ["mail me@ada.example, https://a.example/@ada"],
    ["é@ada @adaé 石@ada @ada石 e\u0301@ada @ada\u0301 @ada_b"],
    ["`@ada` and `x` @bob `y @cy`", "bob"],
    ["``a ` @ada`` @bob", "bob"],
    ["```ts\n@ada\n```\n@bob", "bob"],
    ["```\n@ada"],
    ["npm i @ada/pkg, and @bob / @cy", "bob", "cy"],
    ["one ` alone @ada", "ada"],
  ];
  for (const [text, ...names] of rows) assert.deepEqual([...namesIn(text)], names, text);
});

it("takes time that grows with the text and not with its square", () => {
  for (const seed of ["`", "``", "` ", "`` `", "```", "@a", "@aa/b", "```\n`"]) {
    const ratio = inOneOverInParts(namesIn, seed.repeat(10_000), 20);
    assert.ok(ratio < 5, `${seed}: 20 times the text took ${20 * ratio} times as long`);
  }
});
