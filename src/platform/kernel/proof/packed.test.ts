import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import vectors from "../../../../test/vectors/packed.json" with { type: "json" };
import { bodyText, type EntryBody } from "./entry.ts";
import { pack, unpack } from "./packed.ts";

test("vectors: bodies pack to these bytes, and these bytes are their text again", () => {
  for (const { what, text, names, hex } of vectors.packed) {
    const body: EntryBody = JSON.parse(text);
    const packed = pack(body);
    assert.equal(packed.names, names, what);
    assert.equal(packed.bytes.toHex(), hex, what);
    assert.equal(unpack(packed), text, what);
    assert.equal(bodyText(body), text, what);
  }
});

test("vectors: other bytes are refused", () => {
  for (const { what, names, hex } of vectors.unreadable)
    assert.throws(() => unpack({ names, bytes: Uint8Array.fromHex(hex) }), RangeError, what);
});

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.stringMatching(/^[0-9a-f]{0,80}$/),
  fc.stringMatching(/^[0-9a-fA-F]{14,20}$/),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", minLength: 60, maxLength: 130 }),
);
const integer = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));
const bodies = fc.dictionary(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.oneof(text, integer),
  {
    noNullPrototype: true,
  },
);

const numRuns = Number(process.env["TEST_FUZZ"] ?? 500);

test("a body that the ledger takes comes back as its text", () => {
  const takes = (body: EntryBody) => Object.values(body).every((one) => String(one).isWellFormed());
  fc.assert(
    fc.property(bodies.filter(takes), (body) => {
      assert.equal(unpack(pack(body)), bodyText(body));
    }),
    { numRuns },
  );
});

test("bytes that are read at all are the ones that the text packs to", () => {
  const bytes = fc.uint8Array({ maxLength: 24 });
  const changed = fc.tuple(bodies, fc.nat(), fc.nat({ max: 255 })).map(([body, place, byte]) => {
    const packed = pack(body).bytes;
    if (packed.length > 0) packed[place % packed.length] = byte;
    return packed;
  });
  fc.assert(
    fc.property(fc.oneof(bytes, changed), fc.nat({ max: 3 }), (found, count) => {
      const names = JSON.stringify(["a", "b", "c"].slice(0, count));
      let read: string;
      try {
        read = unpack({ names, bytes: found });
      } catch (error) {
        assert.ok(error instanceof RangeError);
        return;
      }
      assert.deepEqual(pack(JSON.parse(read)), { names, bytes: Uint8Array.from(found) });
    }),
    { numRuns },
  );
});
