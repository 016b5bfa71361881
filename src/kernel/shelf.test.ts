import assert from "node:assert/strict";
import { test } from "node:test";
import { shelfOf } from "./shelf.ts";

test("a shelf drops what was not asked for the longest", () => {
  const shelf = shelfOf<string, number>(10, (size) => size);
  shelf.keep("a", 4);
  shelf.keep("b", 4);
  assert.equal(shelf.get("a"), 4);
  shelf.keep("c", 4);
  assert.deepEqual([shelf.get("a"), shelf.get("b"), shelf.get("c")], [4, undefined, 4]);
});

test("what takes an old one's place counts alone", () => {
  const shelf = shelfOf<string, number>(10, (size) => size);
  shelf.keep("a", 4);
  for (let i = 0; i < 5; i++) shelf.keep("b", 6);
  assert.deepEqual([shelf.get("a"), shelf.get("b")], [4, 6]);
});

test("what is too large for a shelf is not on it", () => {
  const shelf = shelfOf<string, number>(10, (size) => size);
  shelf.keep("a", 11);
  assert.equal(shelf.get("a"), undefined);
  shelf.keep("b", 10);
  assert.equal(shelf.get("b"), 10);
});
