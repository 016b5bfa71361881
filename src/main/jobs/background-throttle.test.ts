import assert from "node:assert/strict";
import { test } from "node:test";
import { backgroundThrottle } from "./background-throttle.ts";

/** A pace whose time passes only by work and by rests, which it remembers. */
function played() {
  const rests: number[] = [];
  let now_ms = 1_000;
  const sleep = async (ms: number) => {
    rests.push(ms);
    now_ms += ms;
  };
  const work = (ms: number) => {
    now_ms += ms;
  };
  const stop = new AbortController();
  const throttle = backgroundThrottle({ now_ms: () => now_ms, sleep, stopping: stop.signal });
  return { rests, work, throttle, stop: () => stop.abort() };
}

test("work goes on at once while nobody asks", async () => {
  const { rests, work, throttle } = played();
  const yieldToRequests = throttle.yielder("patient");
  for (let slice = 0; slice < 3; slice++) {
    work(5);
    await yieldToRequests();
  }
  assert.deepEqual(rests, []);
});

for (const { urgency, expected } of [
  { urgency: "promised", expected: [20, 8, 250] },
  { urgency: "patient", expected: [95, 38, 250] },
] as const) {
  test(`${urgency} work rests in proportion while requests come, and never long`, async () => {
    const { rests, work, throttle } = played();
    const yieldToRequests = throttle.yielder(urgency);
    for (const took of [5, 2, 60_000]) {
      work(took);
      throttle.asked();
      await yieldToRequests();
    }
    work(5);
    await yieldToRequests();
    assert.deepEqual(rests, expected);
  });
}

test("work ends between two slices when the process is to stop", async () => {
  const { throttle, stop } = played();
  const yieldToRequests = throttle.yielder("patient");
  await yieldToRequests();
  stop();
  await assert.rejects(yieldToRequests, { name: "AbortError" });
});

test("two jobs do not take each other for requests", async () => {
  const { rests, work, throttle } = played();
  const [one, other] = [throttle.yielder("promised"), throttle.yielder("patient")];
  for (let slice = 0; slice < 3; slice++) {
    work(5);
    await Promise.all([one(), other()]);
  }
  assert.deepEqual(rests, []);
});
