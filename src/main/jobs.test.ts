import assert from "node:assert/strict";
import { test } from "node:test";
import { startJobs } from "./jobs.ts";

const everyHour = (name: string, run: () => Promise<unknown>) => ({
  name,
  every_ms: 3_600_000,
  run,
});

test("a run that stopping has cut short is not told as a failure, any other is", async () => {
  const told: string[] = [];
  const stopping = new AbortController();
  const cut = everyHour("cut", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    stopping.signal.throwIfAborted();
  });
  const broken = everyHour("broken", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error("the disk is gone");
  });
  const jobs = startJobs([cut, broken], (job) => told.push(job));
  stopping.abort();
  await jobs.stop();
  assert.deepEqual(told, ["broken"]);
});
