import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, countedLong } from "./counted.ts";

test("one thing is no plural", () => {
  const seals = [0, 1, 2, 1_501].map((count) => counted(count, "seal"));
  assert.deepEqual(seals, ["0 seals", "1 seal", "2 seals", "1501 seals"]);
  const entries = [1, 2, 3_600].map((count) => countedLong(count, "entry"));
  assert.deepEqual(entries, ["1 entry", "2 entries", "3,600 entries"]);
});
