import assert from "node:assert/strict";
import { test } from "node:test";
import { failingJobs } from "./failing.ts";

const job = (name: string, fails?: "as_warning") => ({
  name,
  every_ms: 1_000,
  run: async () => {},
  ...(fails && { fails }),
});

test("a job keeps failing after ten failures, or after two in a minute, until a run succeeds", () => {
  let now = 100;
  const jobs = failingJobs(() => now);
  const names = () => jobs.lasting().map((each) => each.job);
  for (let n = 0; n < 9; n++) jobs.broke(job("often"), new Error("no"));
  jobs.broke(job("seldom", "as_warning"), new Error("no"));
  assert.deepEqual(names(), []);
  jobs.broke(job("often"), new Error("no"));
  assert.deepEqual(names(), ["often"]);
  now += 60;
  assert.deepEqual(names(), ["often"], "one failure is none that lasts");
  jobs.broke(job("seldom", "as_warning"), new Error("no"));
  const [often, seldom] = jobs.lasting();
  assert.deepEqual([often?.since, often?.failures, often?.fails], [100, 10, "as_fault"]);
  assert.deepEqual([seldom?.since, seldom?.failures, seldom?.fails], [100, 2, "as_warning"]);
  jobs.succeeded("often");
  assert.deepEqual(names(), ["seldom"]);
  assert.deepEqual([jobs.failures("often"), jobs.failures("seldom")], [0, 2]);
});

test("the words of a failure are one short line, with those of its cause", () => {
  const jobs = failingJobs(() => 0);
  const wordsOf = (error: unknown) => {
    for (let n = 0; n < 10; n++) jobs.broke(job("any"), error);
    return jobs.lasting()[0]?.words;
  };
  const away = new Error("connect\nECONNREFUSED \u001b[2J.");
  assert.equal(
    wordsOf(new Error("It does not answer.", { cause: new AggregateError([away], "several") })),
    "It does not answer. (connect ECONNREFUSED [2J.)",
  );
  assert.equal(wordsOf("thrown"), "thrown");
  assert.equal(wordsOf(new Error("x".repeat(1_000)))?.length, 300);
});
