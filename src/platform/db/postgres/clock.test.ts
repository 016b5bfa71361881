import assert from "node:assert/strict";
import { it } from "node:test";
import { CLOCKS_APART_MAX_S, databaseClock } from "./clock.ts";

const NOW_S = 1_800_000_000;

it("counts on from the server's time, whatever the node's says", async (t) => {
  let steady_ms = 17;
  const clock = await databaseClock({
    ask: async () => NOW_S * 1000 + 999,
    systemNow: () => NOW_S + 20,
    steady_ms: () => steady_ms,
    alarm: assert.fail,
  });
  t.after(clock.stop);
  assert.equal(clock.now(), NOW_S);
  steady_ms++;
  assert.equal(clock.now(), NOW_S + 1);
  assert.ok(clock.agrees());
});

it("trusts neither clock while they are apart, follows the server's, and reports it once", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const alarms: string[] = [];
  let server_s = NOW_S;
  const options = {
    ask: async () => server_s * 1000,
    systemNow: () => NOW_S,
    steady_ms: () => 0,
    alarm: (what: string) => alarms.push(what),
  };
  const clock = await databaseClock(options);
  t.after(clock.stop);
  const refresh = async () => {
    t.mock.timers.tick(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  assert.ok(clock.agrees());

  server_s = NOW_S - CLOCKS_APART_MAX_S - 5;
  await refresh();
  await refresh();
  assert.equal(clock.now(), server_s);
  assert.equal(clock.agrees(), false);
  assert.deepEqual(alarms, ["clocks_apart"]);

  server_s = NOW_S;
  await refresh();
  assert.ok(clock.agrees());
});

it("does not take back a second for the few milliseconds of a refresh", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let server_ms = NOW_S * 1000 + 2;
  const clock = await databaseClock({
    ask: async () => server_ms,
    systemNow: () => NOW_S,
    steady_ms: () => 0,
    alarm: assert.fail,
  });
  t.after(clock.stop);
  assert.equal(clock.now(), NOW_S);
  server_ms = NOW_S * 1000 - 300;
  t.mock.timers.tick(5_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(clock.now(), NOW_S);
});
