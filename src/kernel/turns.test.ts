import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type TurnBounds, turnsOf } from "./turns.ts";

class Refused extends Error {}

/** Work that ends when the test says so. */
function opened(bounds: TurnBounds) {
  const turns = turnsOf(bounds, () => {
    throw new Refused();
  });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (holder: string, name: string): Promise<string> =>
    turns.run(holder, () => {
      begun.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  async function end(name: string, error?: Error): Promise<void> {
    const settle = ends.get(name);
    assert.ok(settle, `${name} has not begun`);
    settle(error);
    await turn();
  }
  return { begun, run, end };
}

test("holders take turns, each in the order of its own asking", async () => {
  const { begun, run, end } = opened({ atOnce: 1, waiting: 64, waitingOfOne: 8 });
  for (const name of ["a1", "a2", "a3"]) void run("ada", name);
  for (const name of ["b1", "b2"]) void run("bob", name);
  void run("cy", "c1");
  for (const name of ["a1", "b1", "a2", "c1", "b2", "a3"]) {
    assert.equal(begun.at(-1), name);
    await end(name);
  }
  assert.equal(begun.length, 6);
});

test("so many run at once, and what fails hands its place on", async () => {
  const { begun, run, end } = opened({ atOnce: 2, waiting: 64, waitingOfOne: 8 });
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
  const { run, end } = opened({ atOnce: 1, waiting: 3, waitingOfOne: 2 });
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
  const { run, end } = opened({ atOnce: 3, waiting: 3, waitingOfOne: 3, ofOne: 2 });
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
