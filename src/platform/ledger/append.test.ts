import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ENTRY_KINDS } from "../../domains/entries.ts";
import { bodyText } from "../kernel/proof/entry.ts";
import { pack, unpack } from "../kernel/proof/packed.ts";
import { entryNamed } from "./append.ts";

const numRuns = Number(process.env["TEST_FUZZ"] ?? 2_000);

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.stringMatching(/^[0-9a-f]{14,70}$/),
  fc.stringMatching(/^[0-9a-fA-F]{14,20}$/),
  fc.string({ unit: "grapheme", minLength: 60, maxLength: 130 }),
);
const value = fc.oneof(text, fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));

/** A kind, and some of its fields in any order. */
const drawn = fc.constantFrom(...ENTRY_KINDS).chain((kind) => {
  const names = Object.keys(kind.fields);
  return fc
    .tuple(fc.shuffledSubarray(names), fc.array(value, { minLength: names.length }))
    .map(([some, values]) => ({
      kind,
      body: Object.fromEntries(some.map((name, i) => [name, values[i] ?? 0])),
    }));
});

test("an entry of any kind is stored and sealed as its body", () => {
  const takes = ({ body }: { body: Record<string, string | number> }) =>
    Object.values(body).every((one) => String(one).isWellFormed());
  fc.assert(
    fc.property(drawn.filter(takes), ({ kind, body }) => {
      const entry = entryNamed(kind, "a/1", body);
      assert.deepEqual(entry.body, body);
      assert.equal(entry.text, bodyText(body));
      assert.deepEqual(entry.packed, pack(body));
      assert.equal(unpack(pack(entry.body)), entry.text);
    }),
    { numRuns },
  );
});

test("a body takes no value and no name that an entry cannot hold", () => {
  const wrong = fc.constantFrom("\udc00", 0.5, 2 ** 53, Number.NaN, null, true, {}, [], 1n);
  fc.assert(
    fc.property(drawn, fc.nat(), wrong, ({ kind, body }, n, bad) => {
      const names = Object.keys(kind.fields);
      const name = names[n % names.length];
      if (name === undefined) return;
      assert.throws(() => entryNamed(kind, "a/1", { ...body, [name]: bad }), RangeError);
      assert.throws(() => entryNamed(kind, "a/1", { ...body, [`${name}x`]: 1 }), RangeError);
    }),
  );
  for (const kind of ENTRY_KINDS) {
    const [field = ""] = Object.keys(kind.fields);
    assert.throws(() => entryNamed(kind, null, {}), RangeError);
    assert.throws(() => entryNamed(kind, "a/1", { [field]: "x".repeat(16_385) }), RangeError);
  }
});

test("no field is named as a place in a list: an object would give it first", () => {
  for (const { fields } of ENTRY_KINDS)
    for (const name of Object.keys(fields)) assert.match(name, /^[a-z][a-z0-9_]*$/);
});
