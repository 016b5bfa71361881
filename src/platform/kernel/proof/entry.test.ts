import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import vectors from "../../../../test/vectors/seal.json" with { type: "json" };
import { canonicalJson } from "../canonical.ts";
import { BODY_BYTES_MAX, bodyText, type Entry, entryText, leafOf, parseEntry } from "./entry.ts";
import { Unproven } from "./unproven.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");
const utf8 = (text: string): Uint8Array => Buffer.from(text);
const textOf = (entry: Entry): string => entryText({ ...entry, body: bodyText(entry.body) });

test("vectors: every entry parses, is written again byte for byte, and has its leaf", () => {
  for (const { id, at, kind, ref, entry, bytes, leaf } of vectors.entries) {
    const parsed = parseEntry(utf8(entry));
    const { body, ...rest } = parsed;
    assert.deepEqual(rest, { id, at, kind, ref });
    assert.equal(textOf({ ...rest, body }), entry);
    assert.equal(utf8(entry).length, bytes);
    assert.equal(leafOf(utf8(entry), sha256).toHex(), leaf);
  }
});

test("vectors: texts are hashed as their UTF-8 bytes, JSON values as their RFC 8785 text", () => {
  for (const given of vectors.texts) {
    const text = given.value === undefined ? given.text : canonicalJson(given.value);
    if (given.canonical !== undefined) assert.equal(text, given.canonical);
    const salt = Buffer.from(given.salt_hex ?? "", "hex");
    const committed = sha256(Buffer.concat([salt, utf8(text ?? "")]));
    assert.equal(committed.toHex(), given.sha256);
    if (given.utf8_bytes !== undefined) assert.equal(utf8(text ?? "").length, given.utf8_bytes);
  }
});

const wellFormed = fc.string({ unit: "grapheme", maxLength: 20 });
const bodies = fc.dictionary(wellFormed, fc.oneof(wellFormed, fc.maxSafeInteger()), {
  noNullPrototype: true,
});
const entries = fc.record({
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  at: fc.maxSafeNat(),
  kind: fc.stringMatching(/^[a-z][a-z_]{1,39}$/),
  ref: fc.stringMatching(/^[A-Za-z0-9_/-]{1,128}$/),
  body: bodies,
});

test("an entry is RFC 8785 text, and reading it back gives what was written", () => {
  fc.assert(
    fc.property(entries, (entry) => {
      const text = textOf(entry);
      const { id, at, kind, ref, body } = entry;
      const json = canonicalJson({ at, body, id, kind, ref });
      assert.equal(text, `agent-network/ledger-entry/v1\n${json}`);
      assert.deepEqual(parseEntry(utf8(text)), { ...entry, body });
    }),
  );
});

test("no other text than the one written reads back: any byte changed is another entry or none", () => {
  const places = fc.tuple(entries, fc.nat(), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(places, ([entry, place, change]) => {
      const bytes = Uint8Array.from(utf8(textOf(entry)));
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ change;
      try {
        assert.notDeepEqual(parseEntry(bytes), entry);
      } catch (error) {
        assert(error instanceof Unproven || error instanceof assert.AssertionError);
        if (error instanceof assert.AssertionError) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

const TAG = "agent-network/ledger-entry/v1\n";
const HEAD = `{"at":1,"body":{},"id":1,"kind":"post","ref":"1"}`;

const refused: Readonly<Record<string, string | Uint8Array>> = {
  "a byte order mark": `\ufeff${TAG}${HEAD}`,
  "63 bytes": "x".repeat(63),
  "65,536 bytes": "x".repeat(65_536),
  "a body of 16,385 bytes": `${TAG}{"at":1,"body":{"a":"${"é".repeat(8_188)}x"},"id":1,"kind":"post","ref":"1"}`,
  "another tag": `agent-network/ledger-entry/v2\n${HEAD}`,
  "bytes that are not UTF-8": Buffer.from(`${TAG}${HEAD}`.replace("post", "p\xffst"), "latin1"),
  "no JSON": `${TAG}${HEAD.slice(0, -1)}      `,
  "an array": `${TAG}[${HEAD}]`,
  "a member too many": `${TAG}{"at":1,"body":{},"id":1,"kind":"post","ref":"1","then":"more"}`,
  "a member too few": `${TAG}{"at":1,"body":{"a":"filler"},"id":1,"kind":"post"}`,
  "a doubled member": `${TAG}{"at":1,"body":{"a":1,"a":2},"id":1,"kind":"post","ref":"1"}`,
  "another order": `${TAG}{"body":{},"at":1,"id":1,"kind":"post","ref":"1"}`,
  "a space": `${TAG}{"at":1, "body":{},"id":1,"kind":"post","ref":"1"}`,
  "a fraction": `${TAG}{"at":1,"body":{"a":0.5},"id":1,"kind":"post","ref":"1"}`,
  "an exponent": `${TAG}{"at":1,"body":{"a":1e2},"id":1,"kind":"post","ref":"1"}`,
  "a negative zero": `${TAG}{"at":1,"body":{"a":-0},"id":1,"kind":"post","ref":"1"}`,
  "an unsafe integer": `${TAG}{"at":1,"body":{"a":9007199254740992},"id":1,"kind":"post","ref":"1"}`,
  "a null": `${TAG}{"at":1,"body":{"a":null},"id":1,"kind":"post","ref":"1"}`,
  "an object inside": `${TAG}{"at":1,"body":{"a":{}},"id":1,"kind":"post","ref":"1"}`,
  "a lone surrogate": `${TAG}{"at":1,"body":{"a":"\\ud800"},"id":1,"kind":"post","ref":"1"}`,
  "a needless escape": `${TAG}{"at":1,"body":{"a":"\\u0041"},"id":1,"kind":"post","ref":"1"}`,
  "a malformed kind": `${TAG}{"at":1,"body":{},"id":1,"kind":"Post","ref":"1"}`,
  "a malformed ref": `${TAG}{"at":1,"body":{},"id":1,"kind":"post","ref":"a b"}`,
  "a time before 1970": `${TAG}{"at":-1,"body":{},"id":1,"kind":"post","ref":"1"}`,
};

test("the text on which the refused ones are built is an entry", () => {
  assert.equal(parseEntry(utf8(`${TAG}${HEAD}`)).kind, "post");
});

for (const [what, entry] of Object.entries(refused)) {
  test(`an entry with ${what} is refused`, () => {
    const bytes = typeof entry === "string" ? utf8(entry) : entry;
    assert.throws(() => parseEntry(bytes), Unproven);
  });
}

test("a body is refused when no entry may hold it", () => {
  for (const value of [0.5, Number.NaN, 2 ** 53, "\ud800"])
    assert.throws(() => bodyText({ value }), RangeError);
  assert.throws(() => bodyText({ "\udc00": 1 }), RangeError);
});

test("a body has at most 16,384 bytes of UTF-8, and with it every entry fits", () => {
  const a = "€".repeat((BODY_BYTES_MAX - 10) / 3);
  const body = bodyText({ a: `${a}xx` });
  assert.equal(utf8(body).length, BODY_BYTES_MAX);
  assert.throws(() => bodyText({ a: `${a}xxx` }), RangeError);
  const most = Number.MAX_SAFE_INTEGER;
  const names = { kind: "k".repeat(40), ref: "r".repeat(128) };
  const largest = utf8(entryText({ id: most, at: most, ...names, body }));
  assert.equal(largest.length, 16_654);
  assert.equal(parseEntry(largest).id, most);
  const least = entryText({ id: 1, at: 0, kind: "ab", ref: "1", body: "{}" });
  assert.equal(utf8(least).length, 77);
});

test("nothing outside 64 to 65,535 bytes has a leaf", () => {
  const { ground_entry, ground_leaf, entry_hex } =
    vectors.negative.items.find(({ name }) => name === "ground_leaf_63_bytes")?.given ?? {};
  assert.equal(leafOf(utf8(ground_entry ?? ""), sha256).toHex(), ground_leaf);
  assert.throws(() => leafOf(Buffer.from(entry_hex ?? "", "hex"), sha256), RangeError);
  assert.throws(() => leafOf(new Uint8Array(65_536), sha256), RangeError);
  assert.equal(leafOf(new Uint8Array(64), sha256).length, 32);
  assert.equal(leafOf(new Uint8Array(65_535), sha256).length, 32);
});
