import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf } from "../../surfaces/operator/metrics.ts";
import { pulseOf } from "./pulse.ts";

test("a pulse shows the last minutes by route, and not what came before them", async () => {
  let now = 1_800_000_000;
  const figures = figuresOf([], { now_ms: () => 0, now: () => now, soon: async (get) => get() });
  const { job, watch } = pulseOf(figures, () => now);
  const asked = (route: string, status: number, took_ms: number) =>
    figures.count({
      request_id: "0",
      method: "GET",
      bytes: 0,
      route,
      status,
      began_ms: 1,
      waits_ms: 0,
      ended_ms: 1 + took_ms,
    });
  asked("/old", 200, 5);
  await job.run();
  now += 60;
  for (let n = 0; n < 98; n++) asked("/feed", 200, 2);
  asked("/feed", 200, 400);
  asked("/feed", 500, 400);
  asked("/post", 201, 8);
  const { span_s, routes, slowest } = watch.performance();
  assert.equal(span_s, 60);
  assert.deepEqual(
    routes.map(({ route, requests, errors, p50_s, p99_s }) => [
      route,
      requests,
      errors,
      p50_s,
      p99_s,
    ]),
    [
      ["/feed", 100, 1, 0.0025, 0.5],
      ["/post", 1, 0, 0.01, 0.01],
    ],
  );
  assert.deepEqual(slowest.map(({ duration_s, status }) => [duration_s, status]).sort(), [
    [0.4, 200],
    [0.4, 500],
  ]);
  for (let n = 0; n < 20; n++) {
    await job.run();
    now += 15;
  }
  assert.deepEqual(watch.performance().routes, [], "five minutes later nothing is left");
  now += 3_600;
  assert.deepEqual(watch.performance().slowest, []);
});
