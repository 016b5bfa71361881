import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { type SemaphoreOptions, semaphore } from "./semaphore.ts";

class Refused extends Error {}

/** Work that ends when the test says so. */
function opened(bounds: Omit<SemaphoreOptions, "onFull">) {
  const onFull = () => {
    throw new Refused();
  };
  const { run: runIn } = semaphore({ ...bounds, onFull });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (holder: string, name: string): Promise<string> =>
    runIn(
      () => {
        begun.push(name);
        return new Promise((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      },
      { holder },
    );
  async function end(name: string, error?: Error): Promise<void> {
    const settle = ends.get(name);
    assert.ok(settle, `${name} has not begun`);
    settle(error);
    await turn();
  }
  return { begun, run, end };
}

test("holders take turns, each in the order of its own asking", async () => {
  const { begun, run, end } = opened({ slots: 1, waiting_max: 64, holder_waiting_max: 8 });
  for (const name of ["a1", "a2", "a3"]) void run("ada", name);
  for (const name of ["b1", "b2"]) void run("bob", name);
  void run("cy", "c1");
  for (const name of ["a1", "b1", "a2", "c1", "b2", "a3"]) {
    assert.equal(begun.at(-1), name);
    await end(name);
  }
  assert.equal(begun.length, 6);
});

test("so many run at once, and what fails frees its slot", async () => {
  const { begun, run, end } = opened({ slots: 2, waiting_max: 64, holder_waiting_max: 8 });
  const failing = run("ada", "a1");
  for (const name of ["a2", "a3"]) void run("ada", name);
  assert.deepEqual(begun, ["a1", "a2"]);
  void end("a1", new Error("It broke."));
  await assert.rejects(failing, /It broke/);
  await turn();
  assert.deepEqual(begun, ["a1", "a2", "a3"]);
  await end("a2");
  await end("a3");
  void run("ada", "a4");
  void run("ada", "a5");
  assert.deepEqual(begun.slice(3), ["a4", "a5"]);
});

test("one holder has so much waiting, and all together have", async () => {
  const { run, end } = opened({ slots: 1, waiting_max: 3, holder_waiting_max: 2 });
  void run("ada", "a1");
  void run("ada", "a2");
  const last = run("ada", "a3");
  await assert.rejects(run("ada", "a4"), Refused);
  void run("bob", "b1");
  await assert.rejects(run("cy", "c1"), Refused);
  await end("a1");
  const later = run("cy", "c2");
  for (const name of ["b1", "a2", "c2", "a3"]) await end(name);
  assert.deepEqual(await Promise.all([last, later]), ["a3", "c2"]);
});

test("one holder has so much in all, where that is bounded", async () => {
  const { run, end } = opened({ slots: 3, waiting_max: 3, holder_waiting_max: 3, holder_max: 2 });
  void run("ada", "a1");
  void run("ada", "a2");
  await assert.rejects(run("ada", "a3"), Refused);
  void run("bob", "b1");
  void run("bob", "b2");
  await assert.rejects(run("bob", "b3"), Refused);
  await end("a1");
  void run("ada", "a4");
  for (const name of ["a2", "b1", "b2", "a4"]) await end(name);
  await assert.rejects(
    Promise.all(["a5", "a6", "a7"].map((name) => run("ada", name))),
    Refused,
    "what was refused was not counted",
  );
});

test("work that waited begins in a later turn of the event loop, if the caller wants it so", async () => {
  const { begun, run, end } = opened({ slots: 1, waiting_max: 8, defer: setImmediateOf });
  const first = run("ada", "a1");
  void run("ada", "a2");
  void end("a1");
  await first;
  assert.deepEqual(begun, ["a1"]);
  await turn();
  assert.deepEqual(begun, ["a1", "a2"]);
});

test("work that comes back from a suspension waits behind others and is never refused", async () => {
  const onFull = () => {
    throw new Refused();
  };
  const { run, suspend } = semaphore({ slots: 1, waiting_max: 1, onFull });
  const order: string[] = [];
  const { promise: news, resolve: tell } = Promise.withResolvers<void>();
  const readers: Promise<void>[] = [];
  for (const name of ["a", "b", "c"]) {
    const reader = run(async () => {
      await suspend(() => news);
      order.push(name);
    });
    readers.push(reader);
    await turn();
  }
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const busy = run(() => held);
  tell();
  await turn();
  const last = run(async () => void order.push("arrived"));
  await assert.rejects(
    run(async () => {}),
    Refused,
  );
  release();
  await Promise.all([...readers, busy, last]);
  assert.deepEqual(order, ["a", "b", "c", "arrived"]);
});

/** One piece of work: who asks, how much it takes, how many turns it lasts, and whether it fails. */
const piece = fc.record({
  holder: fc.constantFrom("ada", "bob", "cy"),
  weight: fc.integer({ min: 1, max: 4 }),
  turns: fc.integer({ min: 0, max: 3 }),
  fails: fc.boolean(),
  suspends: fc.boolean(),
});

test("slots are never exceeded, each holder is served in its order, and all slots come back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 24 }), fc.boolean(), async (pieces, isLater) => {
      const slots = 4;
      const gate = semaphore({
        slots,
        waiting_max: pieces.length,
        onFull: () => assert.fail("It was full."),
        ...(isLater && { defer: setImmediateOf }),
      });
      let taken = 0;
      const order: number[] = [];
      const take = (weight: number) => {
        taken += weight;
        assert.ok(taken <= slots, `${taken} of ${slots} slots are taken`);
      };
      const all = pieces.map(({ holder, weight, turns, fails, suspends }, i) =>
        gate.run(
          async () => {
            order.push(i);
            take(weight);
            for (let n = 0; n < turns; n++) await turn();
            if (suspends) {
              taken -= weight;
              await gate.suspend(() => turn(), { holder, weight });
              take(weight);
            }
            taken -= weight;
            if (fails) throw new Refused();
          },
          { holder, weight },
        ),
      );
      await Promise.allSettled(all);
      for (const holder of ["ada", "bob", "cy"]) {
        const own = order.filter((i) => pieces[i]?.holder === holder);
        assert.deepEqual(
          own,
          own.toSorted((a, b) => a - b),
        );
      }
      assert.equal(await gate.run(async () => "free", { weight: slots }), "free");
    }),
    { numRuns: 100 },
  );
});

function setImmediateOf(admit: () => void): void {
  setImmediate(admit);
}
