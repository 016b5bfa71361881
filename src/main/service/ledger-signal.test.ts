import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Waiter } from "../../platform/kernel/contract/operation.ts";
import { waitingReads } from "./ledger-signal.ts";
import { WAITING_READS_MAX } from "./wait-room.ts";

/** Readers of a ledger whose head the test moves, under a clock that it moves as well. */
function opened(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ledger = { last_id: 0, displaced: 0 };
  const reads = waitingReads(
    {
      lastId: async () => ledger.last_id,
      kindsWithin: async ({ after_id, to_id, limit }) =>
        Array.from({ length: Math.min(limit, to_id - after_id) }, (_, i) => ({
          ledger_id: after_id + 1 + i,
          kind: "post",
        })),
      concerning: async () => ({ announcement_id: 0, of: new Map() }),
    },
    () => ledger.displaced++,
  );
  t.after(reads.close);
  const ended: string[] = [];
  /** Lets one more read wait, and tells by `name` when it is over. */
  function wait(name: string, holder: string, waits_max: number, kinds?: string[]): void {
    const waiter: Waiter = {
      shares: () => [{ name: holder, max: waits_max }],
      onDisconnect: () => () => {},
      leaveSlot() {},
    };
    void reads
      .waitForEntry({ after_id: 0, kinds }, 25, waiter)
      .then((arrived) => ended.push(`${name} ${arrived}`));
  }
  async function pass(ms: number): Promise<void> {
    t.mock.timers.tick(ms);
    await turn();
  }
  return { ledger, reads, ended, wait, pass };
}

test("over its limit a holder's own oldest wait ends, and nobody else's", async (t) => {
  const { ledger, reads, ended, wait, pass } = opened(t);
  wait("other", "bob", 2);
  for (const name of ["first", "second", "third"]) wait(name, "ada", 2);
  assert.equal(reads.waiting(), 3);
  assert.equal(ledger.displaced, 1);
  await pass(1_999);
  assert.deepEqual(ended, []);
  await pass(1);
  assert.deepEqual(ended, ["first false"]);
  wait("fourth", "ada", 2);
  await pass(0);
  assert.deepEqual(ended, ["first false", "second false"]);
  await pass(2_000);
  await pass(23_000);
  assert.deepEqual(ended.slice(2).sort(), ["fourth false", "other false", "third false"]);
});

test("over the limit of all the oldest wait of the holder with most ends", async (t) => {
  const { reads, ended, wait, pass } = opened(t);
  wait("early", "bob", 10);
  for (let n = 1; n < WAITING_READS_MAX; n++) wait(`${n}`, `crowd ${n % 40}`, 64);
  wait("late", "carol", 10);
  assert.equal(reads.waiting(), WAITING_READS_MAX);
  await pass(2_000);
  assert.deepEqual(ended, ["1 false"]);
});

test("an entry wakes a slice of the readers in each turn of the event loop", async (t) => {
  const { ledger, reads, ended, wait } = opened(t);
  for (let n = 0; n < 300; n++) wait(`${n}`, `holder ${n}`, 8);
  ledger.last_id = 1;
  reads.poll();
  const seen: number[] = [];
  while (ended.length < 300) {
    await turn();
    if (ended.length !== seen.at(-1)) seen.push(ended.length);
  }
  assert.deepEqual(seen, [128, 256, 300]);
});

test("an entry of other kinds wakes a reader once a second, to move its position", async (t) => {
  const { ledger, reads, ended, wait, pass } = opened(t);
  let now_ms = 0;
  t.mock.method(performance, "now", () => now_ms);
  wait("posts", "ada", 8, ["claim", "post"]);
  wait("claims", "bob", 8, ["claim"]);
  reads.poll();
  await pass(50);
  ledger.last_id = 1;
  reads.poll();
  await pass(50);
  assert.deepEqual(ended, ["posts true"]);
  now_ms = 1_000;
  ledger.last_id = 2;
  reads.poll();
  await pass(50);
  assert.deepEqual(ended, ["posts true", "claims true"]);
});

test("closing ends all waits, also those that have made room", async (t) => {
  const { reads, ended, wait } = opened(t);
  for (const name of ["first", "second"]) wait(name, "ada", 1);
  reads.close();
  await turn();
  assert.deepEqual(ended.sort(), ["first false", "second false"]);
});
