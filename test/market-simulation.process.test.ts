import assert from "node:assert/strict";
import { test } from "node:test";
import type { State } from "../src/domains/market/rules.ts";
import { seedsIn, simulate } from "./simulation.ts";

/** A thousand in the long run. */
const LIVES = Number(process.env["TEST_ROUNDS"] ?? 30);

test("markets with lost, late and repeated payments and crashes keep their books", async (t) => {
  const lives = seedsIn({ count: LIVES, size: 20 });
  const reached = new Set((await simulate<State[]>("./market-life.ts", lives)).flat());
  t.diagnostic(`${lives.flat().length} lives; they ended ${[...reached].sort().join(", ")}`);
  if (lives.flat().length > 1) assert.ok(reached.size >= 6);
});
