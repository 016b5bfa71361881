import assert from "node:assert/strict";
import { test } from "node:test";
import { takeLane } from "./ports.ts";

test("a lane of ports has one owner, also where two processes begin with the same", async () => {
  const lanes = await Promise.all([takeLane(7), takeLane(7), takeLane(7)]);
  assert.equal(new Set(lanes).size, lanes.length);
});
