import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lru } from "./lru.ts";

test("holds the values used last, as many as fit", () => {
  const step = fc.record({
    key: fc.integer({ max: 9, min: 0 }),
    size: fc.integer({ max: 12, min: 0 }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const cache = lru<number, number>({ max: 10, sizeOf: (size) => size });
      let model: [key: number, size: number][] = [];
      for (const { key, size } of steps) {
        const known = model.find(([each]) => each === key);
        assert.equal(cache.get(key), known?.[1]);
        model = [...model.filter(([each]) => each !== key), [key, size]];
        cache.set(key, size);
        while (model.reduce((sum, [, each]) => sum + each, 0) > 10) model.shift();
      }
    }),
  );
});

test("a value that is larger than the cache is dropped at once", () => {
  const cache = lru<string, number>({ max: 10, sizeOf: (size) => size });
  cache.set("a", 11);
  assert.equal(cache.get("a"), undefined);
  cache.set("b", 10);
  assert.equal(cache.get("b"), 10);
});
