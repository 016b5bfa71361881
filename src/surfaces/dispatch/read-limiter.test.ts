import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, open, post } from "../../../test/ask.ts";
import { READ_SLOTS, readLimiter } from "./read-limiter.ts";

/** All that follows without the event loop. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 50; i++) await null;
}

async function turn(): Promise<void> {
  await microtasks();
  await new Promise((resolve) => setImmediate(resolve));
}

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

test("a read begins in its order and takes a slot for every 25 items", async () => {
  const { run } = readLimiter(4);
  const { began, work, end } = works();
  const all = [run({ limit: 75 }, work("a")), run({ limit: 26 }, work("b")), run({}, work("c"))];
  await turn();
  assert.deepEqual(began, ["a"], "c has room and does not overtake b");
  end("a");
  await microtasks();
  assert.deepEqual(began, ["a"], "what waited begins in a turn of its own");
  await turn();
  assert.deepEqual(began, ["a", "b", "c"]);
  for (const name of ["b", "c"]) end(name);
  assert.deepEqual(await Promise.all(all), ["a", "b", "c"]);
});

test("large pages wait for each other, and no small read waits for them", async () => {
  const { run } = readLimiter(4);
  const { began, work, end } = works();
  const all = [
    run({ limit: 1_000 }, work("page")),
    run({ limit: 101 }, work("next page")),
    run({ limit: 100 }, work("small")),
  ];
  await turn();
  assert.deepEqual(began, ["page", "small"]);
  end("page");
  await turn();
  assert.deepEqual(began, ["page", "small", "next page"]);
  for (const name of ["next page", "small"]) end(name);
  await Promise.all(all);
});

test("a page that is read in steps takes the slots of one step", async () => {
  const { run } = readLimiter(4);
  const { began, work, end } = works();
  const all = [
    run({ limit: 1_000, inSteps: true }, work("steps")),
    run({ limit: 10, inSteps: true }, work("short")),
    run({ limit: 1_000, inSteps: true }, work("next steps")),
  ];
  await turn();
  assert.deepEqual(began, ["steps", "short"], "three slots, and one of the small ones");
  end("steps");
  await turn();
  assert.deepEqual(began, ["steps", "short", "next steps"]);
  for (const name of ["short", "next steps"]) end(name);
  await Promise.all(all);
});

test("of large pages two go forward at once, and small reads beside them", async () => {
  const { run } = readLimiter(READ_SLOTS);
  const { began, work, end } = works();
  const page = { limit: 1_000, inSteps: true } as const;
  const all = ["a", "b"].map((name) => run(page, work(name)));
  all.push(run({ limit: 101 }, work("c")));
  all.push(run({ limit: 100, inSteps: true }, work("small")));
  await turn();
  assert.deepEqual(began, ["a", "b", "small"]);
  end("a");
  await turn();
  assert.deepEqual(began, ["a", "b", "small", "c"]);
  for (const name of ["b", "c", "small"]) end(name);
  await Promise.all(all);
});

test("a suspended read leaves its slots to others and comes back behind them", async () => {
  const { run } = readLimiter(1);
  const { began, work, end } = works();
  const first = run({}, async (suspend) => {
    const news = await suspend(work("waits"));
    began.push("back");
    return news;
  });
  const second = run({}, work("second"));
  await turn();
  assert.deepEqual(began, ["waits", "second"]);
  end("waits");
  await turn();
  assert.deepEqual(began, ["waits", "second"], "its slot is taken");
  end("second");
  assert.deepEqual(await Promise.all([first, second]), ["waits", "second"]);
  assert.equal(began.at(-1), "back");
});

test("a read that fails frees its slots", async () => {
  const { run } = readLimiter(1);
  const failing = run({}, () => Promise.reject(new Error("It failed.")));
  await assert.rejects(failing, /It failed/);
  assert.equal(await run({}, async () => "done"), "done");
});

test("reads of the network are limited, and writes are not", async (t) => {
  const tiny = await open(t);
  tiny.gate.shut();
  const reads = Array.from({ length: READ_SLOTS + 8 }, (_, i) =>
    fetch(`${tiny.url}${BASE}/items?tag=${i}`),
  );
  const isFull = () => tiny.calls.length >= READ_SLOTS;
  while (!isFull()) await turn();
  const write = post(tiny, `${BASE}/open`, { body: "written" });
  while (!tiny.calls.includes("open")) await turn();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(tiny.calls.filter((call) => call === "list").length, READ_SLOTS);
  tiny.gate.open();
  for (const { status } of await Promise.all([...reads, write])) assert.equal(status, 200);
  assert.equal(tiny.calls.filter((call) => call === "list").length, READ_SLOTS + 8);
});
