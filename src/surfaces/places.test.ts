import assert from "node:assert/strict";
import { test } from "node:test";
import { PLACES, placesFor, placesOf } from "./places.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work that runs until it is told to end, and a list of which began. */
function works() {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    began.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const end = (name: string) => ends.get(name)?.();
  return { began, work, end };
}

test("a read takes a place for every 25 items that it asks for, and never more than there are", () => {
  const asked = [{}, { limit: 1 }, { limit: 25 }, { limit: 26 }, { limit: 100 }, { limit: 1_000 }];
  assert.deepEqual(asked.map(placesFor), [1, 1, 1, 2, 4, PLACES]);
});

test("work begins in its order, as places are left", async () => {
  const { inside } = placesOf(4);
  const { began, work, end } = works();
  const all = [inside(3, work("a")), inside(2, work("b")), inside(1, work("c"))];
  await turn();
  assert.deepEqual(began, ["a"], "c has room and does not overtake b");
  end("a");
  await Promise.resolve();
  assert.deepEqual(began, ["a"], "what waited begins in a turn of its own");
  await turn();
  await turn();
  assert.deepEqual(began, ["a", "b", "c"]);
  for (const name of ["b", "c"]) end(name);
  assert.deepEqual(await Promise.all(all), ["a", "b", "c"]);
});

test("who waits outside leaves the places to others and comes back behind them", async () => {
  const { inside, outside } = placesOf(1);
  const { began, work, end } = works();
  const first = inside(1, async () => {
    const news = await outside(1, work("waits"));
    began.push("back");
    return news;
  });
  const second = inside(1, work("second"));
  await turn();
  await turn();
  assert.deepEqual(began, ["waits", "second"]);
  end("waits");
  await turn();
  assert.deepEqual(began, ["waits", "second"], "its place is taken");
  end("second");
  assert.deepEqual(await Promise.all([first, second]), ["waits", "second"]);
  assert.equal(began.at(-1), "back");
});

test("work that fails leaves its places", async () => {
  const { inside } = placesOf(1);
  const failing = inside(1, () => Promise.reject(new Error("It failed.")));
  await assert.rejects(failing, /It failed/);
  assert.equal(await inside(1, async () => "done"), "done");
});
