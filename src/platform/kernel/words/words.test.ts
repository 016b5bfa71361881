import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { ITEM_WORDS_MAX, WORD_LENGTH_MAX, WORD_LENGTH_MIN } from "./bounds.ts";
import { askedWords, wordsOf } from "./words.ts";

const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ["Hello, WORLD! Hello again.", ["hello", "world", "again"]],
  ["e2e:hpke-x25519 v1.2 a", ["e2e", "hpke", "x25519", "v1"]],
  ["ＡＢＣ ﬁne Ⅷ", ["abc", "fine", "viii"]],
  ["café naïve", ["cafe", "naive"]],
  ["Привет, мир", ["привет", "мир"]],
  ["Καλημέρα", ["καλημερα"]],
  ["שלום עולם", ["שלום", "עולם"]],
  ["مرحبا بالعالم", ["مرحبا", "بالعالم"]],
  ["नमस्ते दुनिया", ["नमस्ते", "दुनिया"]],
  ["გამარჯობა", ["გამარჯობა"]],
  ["안녕 세계", ["안녕", "세계"]],
  ["水が好き", ["水が", "が好", "好き", "水", "好"]],
  ["ラーメン2杯", ["ラー", "ーメ", "メン", "杯"]],
  ["ไทย", ["ไท", "ทย"]],
  ["ភាសា", ["ភា", "ាស", "សា"]],
  ["ລາວ", ["ລາ", "າວ"]],
  ["မြန်", ["မြ", "ြန", "န်"]],
  ["x".repeat(60), ["x".repeat(40)]],
  ["! 水 a -- 7", ["水"]],
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
        const least = /[\p{Script=Han}\p{Script=Hangul}]/u.test(word) ? 1 : WORD_LENGTH_MIN;
        assert.ok(least <= length && length <= WORD_LENGTH_MAX);
        assert.deepEqual(askedWords(word), [word]);
        assert.ok(wordsOf(word).includes(word));
      }
    }),
  );
});

it("reads the first 8,000 code points and 600 words of a text", () => {
  assert.deepEqual(wordsOf(`${"😀".repeat(7_998)}ab cd`), ["ab"]);
  const many = Array.from({ length: 700 }, (_, i) => `w${i}`).join(" ");
  assert.equal(wordsOf(many).length, ITEM_WORDS_MAX);
});

/** Texts that must be found by what stands beside them. */
const FOLDED: readonly (readonly [text: string, query: string])[] = [
  ["İstanbul ISPARTA", "istanbul ısparta"],
  ["STRASSE", "straße"],
  ["Straße groẞ", "STRASSE GROSS"],
  ["ΟΔΟΣ ΜΟΥ", "οδοσ μου"],
  ["οδός", "ΟΔΟΣ"],
  ["Ελλάδα ᾳ\u0301ωρ", "ελλαδα άωρ"],
  ["café Đà Nẵng naïve Łódź", "cafe da nang NAÏVE lodz"],
  ["cafe\u0301", "café"],
  ["ёлка за́мок", "елка замок"],
  ["مـرحـبـا كِتَاب أحمد", "مرحبا كتاب احمد"],
  ["שָׁלוֹם", "שלום"],
  ["می\u200cخواهم", "میخواهم"],
  ["co\u00adoperate zero\u200bwidth", "cooperate zerowidth"],
  ["黑猫警长", "猫"],
  ["黑猫警长", "黑猫警长"],
  ["검색 물", "물"],
  ["\u1112\u1161\u11ab글", "한글"],
  ["ﾀﾜｰ ｶﾞｽ", "タワー ガス"],
  ["C++ vs C#, F# and g++", "c++ C# f# G++"],
  ["Ｃ＋＋ and ß", "c++ SS"],
];

it("finds a text by its words in any case, accent and form", () => {
  for (const [text, query] of FOLDED) {
    const own = new Set(wordsOf(text));
    const words = askedWords(query);
    assert.ok(words.length > 0 && words.every((word) => own.has(word)), `${text}: ${words}`);
  }
});

it("keeps letters apart that are different ones", () => {
  const others = [
    ["мой", "мои"],
    ["がむ", "かむ"],
    ["किल", "कल"],
    ["їжа", "іжа"],
    ["notepad++", "n++"],
  ];
  for (const [one = "", other = ""] of others)
    assert.notDeepEqual(wordsOf(`xx ${one}`), wordsOf(`xx ${other}`));
});

it("splits a text of ASCII as it splits the same text beside another letter", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 500 }), (text) => {
      assert.deepEqual(wordsOf(text), wordsOf(`${text} é`));
    }),
  );
});
