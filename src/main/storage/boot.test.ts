import assert from "node:assert/strict";
import { test } from "node:test";
import { bootClock } from "./boot.ts";

function machine() {
  const at = { uptime_s: 1_000, process_ms: 0, wall_ms: 1_700_000_000_000, asked: 0 };
  const clock = bootClock({
    uptime_s: () => {
      at.asked++;
      return at.uptime_s;
    },
    process_ms: () => at.process_ms,
    wall_ms: () => at.wall_ms,
  });
  const run = (ms: number) => {
    at.uptime_s += ms / 1_000;
    at.process_ms += ms;
    at.wall_ms += ms;
  };
  const sleep = (ms: number) => {
    at.uptime_s += ms / 1_000;
    at.wall_ms += ms;
  };
  return { at, clock, run, sleep };
}

test("the system is asked once a second, however often the time is", () => {
  const { at, clock, run } = machine();
  for (let ms = 0; ms < 10_000; ms++) {
    run(1);
    assert.ok(Math.abs(clock() - at.uptime_s) < 1e-6);
  }
  assert.ok(at.asked <= 11, String(at.asked));
});

test("the machine's sleep is counted at the first look after it", () => {
  const { at, clock, run, sleep } = machine();
  run(10);
  sleep(3_600_000);
  assert.equal(clock(), at.uptime_s);
});

test("a wall clock that is set moves nothing", () => {
  const { at, clock, run } = machine();
  run(10);
  at.wall_ms += 3_600_000;
  assert.equal(clock(), at.uptime_s);
  at.wall_ms -= 7_200_000;
  assert.equal(clock(), at.uptime_s);
});

test("a system that does not count sleep counts what the process lives through", () => {
  const { at, clock, run } = machine();
  for (let i = 0; i < 100; i++) {
    run(100);
    at.uptime_s = 1_000;
  }
  assert.equal(clock(), 1_010);
});
