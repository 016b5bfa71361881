import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { ITEM_WORDS_MAX, WORD_LENGTH_MAX, WORD_LENGTH_MIN } from "./rules.ts";
import { hasWords, wordsOf } from "./words.ts";

const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ["Hello, WORLD! Hello again.", ["hello", "world", "again"]],
  ["e2e:hpke-x25519 v1.2 a", ["e2e", "hpke", "x25519", "v1"]],
  ["ＡＢＣ ﬁne Ⅷ", ["abc", "fine", "viii"]],
  ["café naïve", ["café", "naïve"]],
  ["Привет, мир", ["привет", "мир"]],
  ["Καλημέρα", ["καλημέρα"]],
  ["שלום עולם", ["שלום", "עולם"]],
  ["مرحبا بالعالم", ["مرحبا", "بالعالم"]],
  ["नमस्ते दुनिया", ["नमस्ते", "दुनिया"]],
  ["გამარჯობა", ["გამარჯობა"]],
  ["안녕 세계", ["안녕", "세계"]],
  ["水が好き", ["水が", "が好", "好き"]],
  ["ラーメン2杯", ["ラー", "ーメ", "メン"]],
  ["ไทย", ["ไท", "ทย"]],
  ["ភាសា", ["ភា", "ាស", "សា"]],
  ["ລາວ", ["ລາ", "າວ"]],
  ["မြန်", ["မြ", "ြန", "န်"]],
  ["x".repeat(60), ["x".repeat(40)]],
  ["! 水 a -- 7", []],
];

it("splits texts of every script into words", () => {
  for (const [text, words] of TEXTS) assert.deepEqual(wordsOf(text), words, text);
});

it("gives words that are bounded, distinct, and found by themselves", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
      const words = wordsOf(text);
      assert.ok(words.length <= ITEM_WORDS_MAX);
      assert.equal(new Set(words).size, words.length);
      for (const word of words) {
        const length = Array.from(word).length;
        assert.ok(WORD_LENGTH_MIN <= length && length <= WORD_LENGTH_MAX);
        assert.deepEqual(wordsOf(word), [word]);
      }
    }),
  );
});

it("reads the first 8,000 code points and 400 words of a text", () => {
  assert.deepEqual(wordsOf(`${"😀".repeat(7_998)}ab cd`), ["ab"]);
  const many = Array.from({ length: 500 }, (_, i) => `w${i}`).join(" ");
  assert.equal(wordsOf(many).length, ITEM_WORDS_MAX);
});

it("tells whether a text has all of some words", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 });
  const picked = fc.array(fc.nat(20), { maxLength: 4 });
  fc.assert(
    fc.property(text, picked, text, (text, places, other) => {
      const own = wordsOf(text);
      const some = places.flatMap((place) => own[place] ?? []);
      assert.ok(hasWords(text, some));
      const all = [...some, ...wordsOf(other).slice(0, 1)];
      assert.equal(
        hasWords(text, all),
        all.every((word) => own.includes(word)),
      );
    }),
  );
});

it("splits a text of ASCII as it splits the same text beside another letter", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 500 }), (text) => {
      assert.deepEqual(wordsOf(text), wordsOf(`${text} é`));
    }),
  );
});
