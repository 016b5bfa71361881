import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_S } from "../src/platform/kernel/time.ts";
import type { Lived } from "./coin-life.ts";
import { seedsIn, simulate } from "./simulation.ts";

/** A thousand in the long run. */
const LIVES = Number(process.env["TEST_ROUNDS"] ?? 60);
const OPERATIONS = 1_000;

test(`lives of ${OPERATIONS} operations go as the model says`, async (t) => {
  const lives = seedsIn({ count: LIVES, size: 10 });
  const done = (await simulate<readonly Lived[]>("./coin-life.ts", lives)).flat();
  const sum = (of: keyof Lived) => done.reduce((all, each) => all + each[of], 0);
  const operations = sum("operations");
  t.diagnostic(
    `${done.length} lives, ${operations} operations, ${Math.floor(sum("seconds") / DAY_S)} days, ` +
      `${sum("requests")} requests, ${sum("paid")} rewards paid`,
  );
  assert.ok(sum("paid") > 0);
  assert.ok(operations >= lives.flat().length * OPERATIONS);
});
