import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { answerTo, isSolved, leadingZeroBits, makeChallenge } from "./puzzle.ts";
import { PUZZLE_WORDS } from "./words/puzzle-words.ts";

const crypto = {
  sha256: (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest(),
  hmac: (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
    createHmac("sha256", key).update(bytes).digest(),
};
const hexOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const key = new Uint8Array(32).fill(7);
const r = Uint8Array.from({ length: 16 }, (_, i) => i);
const EXPIRES_AT = 2 ** 32 + 900;
const NOW = EXPIRES_AT - 1;
const BITS = 8;
const challenge = makeChallenge({ r, expires_at: EXPIRES_AT, bits: BITS, key }, crypto);

/** Knows only what `GET /challenge` says in words: letters by length, and leading zero bits. */
function solve({ challenge_id, words, pow_prefix }: typeof challenge) {
  const answer = [3, 4, 5, 6, 7, 8, 9]
    .flatMap((length) => words.filter((word) => word.length === length).sort())
    .map((word) => word[0])
    .join("");
  let n = 0;
  while (!hexOf(`${pow_prefix}${n}`).startsWith("00")) n++;
  return { challenge_id, answer, pow: String(n) };
}
const solution = solve(challenge);

test("puzzle: the published examples", () => {
  assert.equal(answerTo(["river", "moss", "lantern", "oak", "stone"]), "omrsl");
  const work = (n: number) => leadingZeroBits(Buffer.from(hexOf(`0123456789abcdef${n}`), "hex"));
  assert.equal(
    Array.from({ length: 600 }, (_, n) => work(n)).findIndex((bits) => bits >= 8),
    513,
  );
  assert.match(hexOf("0123456789abcdef513"), /^00f10b9e/);
});

test("puzzle: zero bits are counted across bytes", () => {
  const counts = ["ff", "7f", "01", "00ff", "0001", "0000"].map((hex) =>
    leadingZeroBits(Uint8Array.fromHex(hex)),
  );
  assert.deepEqual(counts, [0, 1, 7, 8, 15, 16]);
});

test("puzzle: the list has 256 distinct lower-case words of 3 to 9 letters", () => {
  assert.equal(new Set(PUZZLE_WORDS).size, 256);
  assert.equal(PUZZLE_WORDS.length, 256);
  for (const word of PUZZLE_WORDS) assert.match(word, /^[a-z]{3,9}$/);
});

test("puzzle: a challenge has the documented bytes, words and prefix", () => {
  const id = Buffer.from(challenge.challenge_id, "base64url");
  assert.equal(id.subarray(0, 24).toString("hex"), `01${r.toHex()}00010000038408`);
  assert.deepEqual(
    id.subarray(24),
    createHmac("sha256", key).update(id.subarray(0, 24)).digest().subarray(0, 16),
  );
  assert.doesNotMatch(challenge.challenge_id, /=/);

  const [first = 0, ...rest] = createHash("sha256").update("words").update(r).digest();
  const expected: string[] = [];
  for (const byte of rest) {
    const word = PUZZLE_WORDS[byte] ?? "";
    if (expected.length < 5 + (first % 3) && !expected.includes(word)) expected.push(word);
  }
  assert.deepEqual(challenge.words, expected);
  const digest = createHash("sha256").update("pow").update(r).digest("hex");
  assert.equal(challenge.pow_prefix, `cairn:${digest.slice(0, 32)}:`);
});

test("puzzle: every challenge has 5 to 7 distinct words", () => {
  const lengths = new Set<number>();
  for (let i = 0; i < 2_000; i++) {
    const other = crypto.sha256(Uint8Array.of(i, i >> 8)).subarray(0, 16);
    const { words } = makeChallenge({ r: other, expires_at: 1, bits: 0, key }, crypto);
    assert.equal(new Set(words).size, words.length);
    lengths.add(words.length);
  }
  assert.deepEqual([...lengths].sort(), [5, 6, 7]);
});

test("puzzle: a client that knows the public rule solves it, with text or number", () => {
  assert.equal(isSolved(solution, NOW, key, crypto), true);
  assert.equal(isSolved({ ...solution, pow: Number(solution.pow) }, NOW, key, crypto), true);
});

test("puzzle: an expired id, another key, another answer or too little work do not count", () => {
  assert.equal(isSolved(solution, EXPIRES_AT, key, crypto), false);
  assert.equal(isSolved(solution, NOW, new Uint8Array(32), crypto), false);
  assert.equal(isSolved({ ...solution, answer: "x" }, NOW, key, crypto), false);
  const upper = solution.answer.toUpperCase();
  assert.equal(isSolved({ ...solution, answer: upper }, NOW, key, crypto), false);
  const less = String(Number(solution.pow) - 1);
  assert.equal(isSolved({ ...solution, pow: less }, NOW, key, crypto), false);
});

test("puzzle: work is a decimal number of at most 20 digits", () => {
  const easy = makeChallenge({ r, expires_at: EXPIRES_AT, bits: 0, key }, crypto);
  const verdict = (pow: string | number) =>
    isSolved({ ...solution, challenge_id: easy.challenge_id, pow }, NOW, key, crypto);
  for (const pow of ["0", 0, "9".repeat(20), Number.MAX_SAFE_INTEGER])
    assert.equal(verdict(pow), true, `${pow}`);
  for (const pow of ["9".repeat(21), "", " 1", "1 ", "-1", -1, "+1", "1.0", 0.5, 1e21, "0x1", "١"])
    assert.equal(verdict(pow), false, `${pow}`);
});

test("puzzle: no other id passes, not even one that decodes to the same bytes", () => {
  const id = solution.challenge_id;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let at = 0; at < id.length; at++)
    for (const letter of alphabet) {
      if (letter === id[at]) continue;
      const challenge_id = id.slice(0, at) + letter + id.slice(at + 1);
      assert.equal(isSolved({ ...solution, challenge_id }, NOW, key, crypto), false, challenge_id);
    }
  for (const challenge_id of [`${id}=`, `${id}==`, id.slice(1), `${id}A`, ` ${id}`, "", "."])
    assert.equal(isSolved({ ...solution, challenge_id }, NOW, key, crypto), false, challenge_id);
});

test("puzzle: junk is false, never an error", () => {
  const junk = fc.record({
    challenge_id: fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z0-9_-]{54}$/)),
    answer: fc.string(),
    pow: fc.oneof(fc.string(), fc.double(), fc.integer()),
  });
  fc.assert(fc.property(junk, (sent) => !isSolved(sent, 0, key, crypto)));
});
