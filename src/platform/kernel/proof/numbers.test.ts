import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { numbersOf } from "./names.ts";
import { numbersById } from "./numbers.ts";

const id = fc.oneof(fc.nat(1_000), fc.maxSafeNat());

test("numbers are kept by id, as in a map", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.integer({ min: 0, max: 2 ** 32 - 1 }))), (changes) => {
      const [numbers, map] = [numbersById(), new Map<number, number>()];
      for (const [at, value] of changes) {
        if (value === 0) numbers.delete(at);
        else numbers.set(at, value);
        if (value === 0) map.delete(at);
        else map.set(at, value);
      }
      const asked = [...changes.map(([at]) => at), 2 ** 53 - 1];
      for (const at of asked) assert.equal(numbers.get(at), map.get(at));
      assert.deepEqual(new Map(numbers.all()), map);
    }),
  );
});

test("more names of one kind are told apart than a Set holds", () => {
  const numbers = numbersOf(Number.POSITIVE_INFINITY);
  const last = 2 ** 24 + 1;
  for (let n = 1; n < last; n++) numbers.put("post", n);
  assert.equal(numbers.put("post", last), "first");
  assert.equal(numbers.put("post", last), "again");
  assert.equal(numbers.put("post", 1), "again");
  assert.deepEqual([numbers.has("post", last), numbers.has("post", last + 1)], [true, false]);
});
