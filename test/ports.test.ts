import assert from "node:assert/strict";
import { test } from "node:test";
import { takeLane } from "./ports.ts";

test("a lane of ports has one owner, also where others begin with the same", async () => {
  const lanes = [await takeLane(7), await takeLane(7), await takeLane(7)];
  assert.equal(new Set(lanes).size, lanes.length);
});
