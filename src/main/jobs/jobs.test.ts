import assert from "node:assert/strict";
import { test } from "node:test";
import { startJobs } from "./jobs.ts";

const everyHour = (name: string, run: () => Promise<unknown>) => ({
  name,
  every_ms: 3_600_000,
  run,
});

test("a run that stopping has cut short is not told as a failure, any other is", async () => {
  const reported: string[] = [];
  const stopping = new AbortController();
  const cut = everyHour("cut", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    stopping.signal.throwIfAborted();
  });
  const broken = everyHour("broken", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error("the disk is gone");
  });
  const jobs = startJobs([cut, broken], {
    failed: (job) => reported.push(job),
    works: () => {},
    succeeded: () => {},
    broke: () => {},
    now_ms: () => 0,
  });
  stopping.abort();
  await jobs.stop();
  assert.deepEqual(reported, ["broken"]);
});

test("an outage is told at its beginning, at 1, 5 and 30 minutes, each 30 after, and at its end", async () => {
  let now_ms = 0;
  const reported: (readonly [string, number, number])[] = [];
  const ended = Promise.withResolvers<void>();
  const failing = {
    name: "failing",
    every_ms: 0,
    async run() {
      now_ms += 10_000;
      if (now_ms <= 3_700_000) throw new Error("the server is away");
    },
  };
  const jobs = startJobs([failing], {
    failed: (_, error, failures) =>
      reported.push([String(error), failures, (now_ms - 10_000) / 1_000]),
    works(job, failures) {
      reported.push([job, failures, 0]);
      ended.resolve();
    },
    succeeded: () => {},
    broke: () => {},
    now_ms: () => now_ms,
  });
  await ended.promise;
  await jobs.stop();
  const away = "Error: the server is away";
  assert.deepEqual(reported, [
    [away, 1, 0],
    [away, 7, 60],
    [away, 31, 300],
    [away, 181, 1_800],
    [away, 361, 3_600],
    ["failing", 370, 0],
  ]);
});
