import assert from "node:assert/strict";
import { test } from "node:test";
import { STREAMS_MAX, STREAMS_PER_AGENT, STREAMS_WITHOUT_TOKEN_MAX, streamSlots } from "./slots.ts";

const AGENTS = (STREAMS_MAX - STREAMS_WITHOUT_TOKEN_MAX) / STREAMS_PER_AGENT;

test("the 1,001st stream of a process is 503, and each end makes room for one", () => {
  const { take } = streamSlots(() => 0);
  const full = { code: "overloaded", status: 503 };
  const anonymous = Array.from({ length: STREAMS_WITHOUT_TOKEN_MAX }, () => take(null));
  assert.throws(() => take(null), full, "the 501st without a token");
  const owned = Array.from({ length: AGENTS }, (_, i) =>
    Array.from({ length: STREAMS_PER_AGENT }, () => take(`ag_${i}`)),
  ).flat();
  assert.equal(anonymous.length + owned.length, STREAMS_MAX);
  assert.throws(() => take("ag_new"), full);
  owned[0]?.();
  const leave = take("ag_new");
  assert.throws(() => take("ag_0"), full, "the process is full again");
  anonymous[0]?.();
  assert.throws(() => take("ag_1"), full, "its own four are open");
  take(null);
  leave();
  take("ag_0");
  assert.throws(() => take("ag_2"), full);
});
