import assert from "node:assert/strict";
import { test } from "node:test";
import { START } from "../../../test/service.ts";
import { DAY_S, days, HOUR_S } from "../../kernel/time.ts";
import { steadyClock } from "./steady-clock.ts";

/** A clock that can be set, while seconds pass all the same. */
function setting() {
  let passed_s = 0.25;
  let set_s = 0;
  const clock = steadyClock({
    now: () => Math.floor(START + passed_s + set_s),
    monotonic_s: () => passed_s,
  });
  assert.equal(clock.now(), START);
  return {
    clock,
    /** Time passes a second at a time, as the jobs look. */
    pass(seconds: number): number {
      for (let s = 0; s < seconds; s++) {
        passed_s++;
        clock.now();
      }
      return clock.now() - START;
    },
    set(seconds: number): number {
      set_s += seconds;
      return clock.now() - START;
    },
  };
}

test("a jump of 30 days that is taken back within a minute leaves no trace", () => {
  const { clock, pass, set } = setting();
  assert.equal(set(days(30)), 0);
  assert.equal(clock.ahead_s(), days(30));
  assert.equal(pass(10), 10);
  assert.equal(clock.isHeld(), false);
  assert.equal(set(-days(30)), 10);
  assert.equal(clock.ahead_s(), 0);
  assert.equal(pass(100), 110);
});

test("a jump of two hours counts after a minute", () => {
  const { clock, pass, set } = setting();
  set(2 * HOUR_S);
  assert.equal(pass(59), 59);
  assert.equal(pass(1), 60 + 2 * HOUR_S);
  assert.equal(clock.isHeld(), false);
});

test("a jump of two days is held until it is accepted, or taken back", () => {
  for (const end of ["accepted", "taken back"]) {
    const { clock, pass, set } = setting();
    set(2 * DAY_S);
    assert.equal(pass(120), 120);
    assert.equal(clock.isHeld(), true);
    clock.accept(START);
    assert.equal(clock.isHeld(), true, "that was said of another time");
    if (end === "accepted") clock.accept(START + 2 * DAY_S + 118);
    else set(-2 * DAY_S);
    assert.equal(clock.isHeld(), false);
    assert.equal(pass(1), end === "accepted" ? 121 + 2 * DAY_S : 121);
  }
});

test("a jump of a minute or less, or backwards, is followed at once", () => {
  const { pass, set } = setting();
  assert.equal(set(60), 60);
  assert.equal(set(-500), -440);
  assert.equal(pass(5), -435);
});
