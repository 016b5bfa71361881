import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fairPool } from "./fair-pool.ts";

const at = (...names: string[]) => names.map((name) => ({ name, max: 6 }));
const never = () => assert.fail("it makes room");

test("a holder takes its share and no more", () => {
  const pool = fairPool(10);
  const claim = pool.claim(at("a"), never);
  assert.deepEqual([claim.grow(6), claim.grow(1), pool.size()], [true, false, 6]);
  claim.leave();
  claim.leave();
  assert.equal(pool.size(), 0);
  assert.equal(claim.grow(1), false, "what has left takes nothing");
});

test("the largest claim of the holder with most makes room for one with less", () => {
  const pool = fairPool(10);
  const displaced: string[] = [];
  const take = (name: string, size: number, holder: readonly string[]) =>
    pool.claim(at(...holder), () => displaced.push(name)).grow(size);
  assert.ok(take("a1", 2, ["net", "a"]) && take("a2", 3, ["net", "a"]));
  assert.ok(take("b1", 1, ["net", "b"]) && take("c1", 4, ["other", "c"]));
  assert.ok(take("d1", 1, ["third", "d"]));
  assert.deepEqual(displaced, ["a2"]);
  assert.ok(take("d2", 2, ["third", "d"]));
  assert.equal(take("c2", 1, ["other", "c"]), false, "it has most itself");
  assert.deepEqual(displaced, ["a2"]);
});

test("of equal claims the oldest makes room, and within a network its agent with most", () => {
  const pool = fairPool(4);
  const displaced: string[] = [];
  const take = (name: string, ...holder: string[]) =>
    pool.claim(at(...holder), () => displaced.push(name)).grow(1);
  for (const name of ["a1", "a2", "a3"]) assert.ok(take(name, "net", "a"));
  assert.ok(take("b1", "net", "b"));
  assert.ok(take("c1", "net", "c"));
  assert.equal(take("b2", "net", "b"), false, "both would have two");
  assert.deepEqual(displaced, ["a1"]);
});

test("whatever happens, the pool holds what its claims hold, and never more than its bound", () => {
  const step = fc.record({
    path: fc.array(fc.constantFrom("x", "y", "z"), { minLength: 1, maxLength: 3 }),
    size: fc.integer({ min: 1, max: 5 }),
    leaves: fc.option(fc.nat(20), { nil: null }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pool = fairPool(12);
      const held = new Map<number, number>();
      const claims = steps.map(({ path, size, leaves }, i) => {
        const claim = pool.claim(at(...path), () => void held.delete(i));
        if (claim.grow(size)) held.set(i, size);
        return { claim, leaves };
      });
      const sum = () => [...held.values()].reduce((all, one) => all + one, 0);
      assert.ok(pool.size() <= 12);
      assert.equal(pool.size(), sum());
      for (const [i, { claim }] of claims.entries()) {
        claim.leave();
        held.delete(i);
        assert.equal(pool.size(), sum());
      }
      assert.equal(pool.size(), 0);
    }),
  );
});
