import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleOf } from "./sample.ts";

const ids = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i + 1);

test("of a large network the newest half and a drawn half are read, of a small one all", () => {
  const options = { objects: 10, seed: "a" };
  const large = sampleOf(options, 20_000);
  const some = large.of("claim", ids(1_000));
  assert.equal(some.length, 10);
  assert.deepEqual(some.slice(5), [996, 997, 998, 999, 1_000]);
  assert.deepEqual(sampleOf(options, 20_000).of("claim", ids(1_000)), some, "the seed says which");
  assert.notDeepEqual(sampleOf({ ...options, seed: "b" }, 20_000).of("claim", ids(1_000)), some);
  assert(large.isDrawn());

  for (const whole of [
    sampleOf(options, 10_000),
    sampleOf({ ...options, objects: null }, 20_000),
  ]) {
    assert.deepEqual(whole.of("claim", ids(1_000)), ids(1_000));
    assert.equal(whole.isDrawn(), false);
  }
});

test("pages begin where the one before ends", () => {
  const whole = sampleOf({ objects: null, seed: "" }, 0);
  assert.deepEqual(whole.pages(ids(230), 100), [31, 131]);
  assert.deepEqual(whole.pages(ids(200), 100), [101]);
  assert.deepEqual(whole.pages(ids(100), 100), []);
  const some = sampleOf({ objects: 300, seed: "a" }, 20_000).pages(ids(2_000), 100);
  assert.equal(some.length, 2);
  assert.equal(some[1], 1_901, "the page after the first is among them");
});
