import assert from "node:assert/strict";
import { test } from "node:test";
import { seedsIn, simulate } from "./simulation.ts";

/** A thousand in the long run. */
const LIVES = Number(process.env["TEST_ROUNDS"] ?? 60);
const OPERATIONS = 1_000;

test(`lives of ${OPERATIONS} operations go as the model says`, async (t) => {
  const lives = seedsIn({ count: LIVES, size: 10 });
  const done = await simulate<number>("./coin-life.ts", lives);
  const operations = done.reduce((sum, each) => sum + each, 0);
  t.diagnostic(`${lives.flat().length} lives, ${operations} operations`);
  assert.ok(operations >= lives.flat().length * OPERATIONS);
});
