import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DatabaseError } from "pg";
import { PATIENCE_MS } from "./pool.ts";
import { untilItWins } from "./retry.ts";

const PAUSE_MAX_MS = 32;

/** A clock on which nothing but the pauses takes time; each is kept, in milliseconds. */
function pausesOnly(t: TestContext): {
  readonly pauses: readonly number[];
  readonly now: () => number;
} {
  const pauses: number[] = [];
  let now_ms = 0.4;
  t.mock.method(performance, "now", () => now_ms);
  t.mock.method(globalThis, "setTimeout", (done: () => void, pause_ms: number) => {
    pauses.push(pause_ms);
    now_ms += pause_ms + 0.7; // A timer is never exact.
    queueMicrotask(done);
  });
  return { pauses, now: () => now_ms };
}

/** What a transaction that lost to another is told. */
function conflict(): DatabaseError {
  return Object.assign(new DatabaseError("could not serialize access", 0, "error"), {
    code: "40001",
  });
}

test("a transaction that loses is run again for five seconds, after pauses that grow to 32 ms", async (t) => {
  const { pauses, now } = pausesOnly(t);
  let runs = 0;
  const losing = untilItWins(async () => {
    runs++;
    throw conflict();
  }, PATIENCE_MS);
  await assert.rejects(losing, { code: "overloaded" });
  assert.ok(runs > PATIENCE_MS / (PAUSE_MAX_MS + 1), `${runs} runs`);
  assert.equal(pauses.length, runs - 1, "nothing is paused for after the last");
  assert.ok(now() > PATIENCE_MS && now() < PATIENCE_MS + 2 * PAUSE_MAX_MS, `${now()} ms`);
  for (const [n, pause_ms] of pauses.entries())
    assert.ok(pause_ms < Math.min(2 ** (n + 1), PAUSE_MAX_MS), `pause ${n}: ${pause_ms} ms`);
  assert.ok(Math.max(...pauses) > PAUSE_MAX_MS / 2, "later ones are longer");
});

test("a transaction that wins at last is answered, and another fault is not tried again", async (t) => {
  pausesOnly(t);
  let runs = 0;
  const winning = untilItWins(async () => {
    if (++runs < 60) throw conflict();
    return "won";
  }, PATIENCE_MS);
  assert.equal(await winning, "won");
  assert.equal(runs, 60);
  const failing = untilItWins(async () => {
    runs++;
    throw new TypeError("a defect");
  }, PATIENCE_MS);
  await assert.rejects(failing, TypeError);
  assert.equal(runs, 61);
});
