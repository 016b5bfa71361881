import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packedRows } from "./packed-rows.ts";
import { type Made, near, UNSEALED } from "./told.ts";

const value = fc.oneof(
  fc.constantFrom(null, undefined, UNSEALED, "", "0".repeat(64), "A".repeat(64), 2n ** 70n),
  fc.constantFrom(0, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32, -1, 1.5),
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[0-9a-f]{64}$/),
  fc.constantFrom(0, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 33).map(near),
);
const row: fc.Arbitrary<Made> = fc.dictionary(fc.constantFrom("a", "b", "c"), value, {
  noNullPrototype: true,
});
const name = fc.oneof(
  fc.nat(5).map((id) => `post ${id}`),
  fc.constantFrom(
    "post 01",
    "post 1/2",
    "thread 1",
    "post 999999999999999",
    "post 9999999999999999",
  ),
);
const step = fc.record({ name, row: fc.option(row) });

test("rows are kept by name, as in a Map", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const [packed, map] = [packedRows(), new Map<string, Made>()];
      for (const each of steps) {
        for (const rows of [packed, map])
          if (each.row === null) rows.delete(each.name);
          else rows.set(each.name, each.row);
        assert.deepEqual(packed.get(each.name), map.get(each.name));
      }
      assert.deepEqual(new Map(packed), map);
    }),
  );
});

test("rows of many pages are read at their places", () => {
  const rows = packedRows();
  const of = (id: number): Made => ({
    id,
    hash: `${id}`.padStart(64, "0"),
    at: near(2 ** 30 + id),
  });
  for (let id = 1; id <= 5_000; id++) rows.set(`post ${id}`, of(id));
  for (let id = 1; id <= 5_000; id++) assert.deepEqual(rows.get(`post ${id}`), of(id));
});
