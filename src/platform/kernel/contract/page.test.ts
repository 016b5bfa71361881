import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  boundOf,
  bytesOf,
  cut,
  cutInSteps,
  cutParts,
  PAGE_MAX_BYTES,
  PAGE_STEP,
  PROSE_CHARACTER_MAX_BYTES,
} from "./page.ts";

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("bytes are counted as JSON writes them", () => {
  const text = fc.string({ unit: "binary" });
  const value = fc.jsonValue({ depthSize: "medium", stringUnit: "binary" });
  fc.assert(
    fc.property(fc.record({ text, value, absent: fc.constant(undefined) }), (record) => {
      assert.equal(bytesOf(record), jsonBytes(record));
    }),
  );
  const prose = '\t\n\r"\\\u00e9\u2028\uffff🪨';
  const letter = [prose, { [prose]: null }];
  assert.ok(boundOf(letter, PROSE_CHARACTER_MAX_BYTES) >= jsonBytes(letter));
  for (const edge of ["", '"\\\n\u0001', "\u007f\u0080\u07ff\u0800\uffff🪨", [], {}, [[]], -0.5])
    assert.equal(bytesOf(edge), jsonBytes(edge));
  assert.ok(bytesOf(-9_007_199_254_740_991n) >= "-9007199254.740991".length);
});

/** So many items of so many bytes each, with their commas. */
const items = (count: number, bytes: number) => Array(count).fill("x".repeat(bytes - 2));

test("a page ends at its limit or at its bytes, and says so", () => {
  const shape = (found: string[], limit: number) => {
    const page = cut(found, limit);
    return [page.items.length, page.more];
  };
  assert.deepEqual(shape([], 10), [0, false]);
  assert.deepEqual(shape(items(10, 100), 10), [10, false]);
  assert.deepEqual(shape(items(11, 100), 10), [10, true]);
  assert.deepEqual(shape(items(4, PAGE_MAX_BYTES / 4), 100), [4, false]);
  assert.deepEqual(shape(items(5, PAGE_MAX_BYTES / 4), 100), [4, true]);
  assert.deepEqual(shape(items(2, PAGE_MAX_BYTES + 1), 100), [1, true], "a larger item goes alone");
  assert.deepEqual(shape(items(1, PAGE_MAX_BYTES + 1), 100), [1, false]);
});

test("no part of an answer crowds the others out", () => {
  const large = items(3, PAGE_MAX_BYTES / 2);
  const small = items(3, 100);
  const limits = { first: 3, second: 2 };
  const crowded = cutParts({ first: large, second: small }, limits);
  assert.deepEqual(
    [crowded.first.length, crowded.first_more, crowded.second.length, crowded.second_more],
    [1, true, 2, true],
  );
  const { second, second_more } = cutParts({ first: small.slice(1), second: large }, limits);
  assert.deepEqual([second.length, second_more], [1, true], "and what is left is the next one's");
  assert.deepEqual(cutParts({ first: [], second: [] }, limits), {
    first: [],
    first_more: false,
    second: [],
    second_more: false,
  });
});

test("steps read the same page, and few rows in vain", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.integer({ min: 2, max: 20_000 }), { maxLength: 300 }),
      async (limit, sizes) => {
        const all = sizes.map((size, id) => ({ id, text: "x".repeat(size) }));
        let read = 0;
        const page = await cutInSteps<(typeof all)[number]>(limit, async (count, last) => {
          const from = last === undefined ? 0 : last.id + 1;
          const items = all.slice(from, from + count);
          read += items.length;
          return { items, bound_bytes: boundOf(items, 1) };
        });
        assert.deepEqual(page, cut(all, limit));
        assert.ok(read <= Math.min(page.items.length + PAGE_STEP, limit + 1));
      },
    ),
  );
});
