import assert from "node:assert/strict";
import { test } from "node:test";
import { sharesOf } from "./shares.ts";

test("each worker hears what the others have taken, once", () => {
  const shares = sharesOf<string>();
  shares.add("a", [["one", "request", 3]]);
  shares.add("b", [
    ["one", "request", 4],
    ["two", "agent", 1],
  ]);
  shares.add("a", [["one", "request", 2]]);
  assert.deepEqual(Object.fromEntries(shares.round(["a", "b", "c"])), {
    a: [
      ["one", "request", 4],
      ["two", "agent", 1],
    ],
    b: [["one", "request", 5]],
    c: [
      ["one", "request", 9],
      ["two", "agent", 1],
    ],
  });
  assert.deepEqual(Object.fromEntries(shares.round(["a"])), { a: [] });
});
