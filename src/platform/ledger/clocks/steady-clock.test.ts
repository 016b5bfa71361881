import assert from "node:assert/strict";
import { test } from "node:test";
import { START } from "../../../../test/service.ts";
import { DAY_S, days, HOUR_S } from "../../kernel/time.ts";
import { type ClockRecord, NEW_BOOT_S, steadyClock, UNEXPLAINED_MAX_S } from "./steady-clock.ts";

/** A clock that can be set, while seconds pass all the same. */
function setting(known?: ClockRecord) {
  let passed_s = 0.25;
  let set_s = 0;
  const system = {
    now: () => Math.floor(START + passed_s + set_s),
    monotonic_s: () => passed_s,
  };
  let clock = steadyClock(system);
  if (known !== undefined) clock.recall(known);
  assert.equal(clock.now(), START);
  const shown = () => clock.now() - START;
  return {
    clock: () => clock,
    /** Time passes a second at a time, as the jobs look. */
    pass(seconds: number): number {
      for (let s = 0; s < seconds; s++) {
        passed_s++;
        clock.now();
      }
      return shown();
    },
    /** Time passes in which nobody looks: the program or the machine sleeps. */
    sleep(seconds: number): number {
      passed_s += seconds;
      return shown();
    },
    set(seconds: number): number {
      set_s += seconds;
      return shown();
    },
    restart(): number {
      const record = clock.record();
      clock = steadyClock(system);
      clock.recall(record);
      return shown();
    },
  };
}

test("a jump of 30 days that is taken back within a minute leaves no trace", () => {
  const { clock, pass, set } = setting();
  assert.equal(set(days(30)), 0);
  assert.equal(clock().ahead_s(), days(30));
  assert.equal(pass(10), 10);
  assert.equal(clock().isHeld(), false);
  assert.equal(set(-days(30)), 10);
  assert.equal(clock().ahead_s(), 0);
  assert.equal(pass(100), 110);
});

test("a jump of two hours counts after a minute", () => {
  const { clock, pass, set } = setting();
  set(2 * HOUR_S);
  assert.equal(pass(59), 59);
  assert.equal(pass(1), 60 + 2 * HOUR_S);
  assert.equal(clock().isHeld(), false);
});

test("a jump of two days is held until it is accepted, or taken back", () => {
  for (const end of ["accepted", "taken back"]) {
    const { clock, pass, set } = setting();
    set(2 * DAY_S);
    assert.equal(pass(120), 120);
    assert.equal(clock().isHeld(), true);
    clock().accept(START);
    assert.equal(clock().isHeld(), true, "that was said of another time");
    if (end === "accepted") clock().accept(START + 2 * DAY_S + 118);
    else set(-2 * DAY_S);
    assert.equal(clock().isHeld(), false);
    assert.equal(pass(1), end === "accepted" ? 121 + 2 * DAY_S : 121);
  }
});

test("a jump of a minute or less, or backwards, is followed at once", () => {
  const { pass, set } = setting();
  assert.equal(set(60), 60);
  assert.equal(set(-500), -440);
  assert.equal(pass(5), -435);
});

test("many jumps are one: 2 hours are followed, and 2 more for each day that passes", () => {
  const { clock, pass, set, restart } = setting();
  for (let jump = 0; jump < 30; jump++) {
    set(23 * HOUR_S);
    restart();
    pass(62);
  }
  assert.equal(clock().isHeld(), true);
  assert.equal(clock().now() - START, 30 * 62, "of 30 jumps of 23 hours none is followed");
});

test("small corrections are taken from the same 2 hours", () => {
  const { clock, pass, set } = setting();
  for (let minutes = 0; minutes < 200; minutes++) {
    set(59);
    pass(1);
  }
  const moved_s = clock().now() - START - 200;
  assert.ok(moved_s <= UNEXPLAINED_MAX_S + 60, `${moved_s} s`);
  assert.ok(moved_s > UNEXPLAINED_MAX_S - 60, `${moved_s} s`);
});

test("a part of a jump that is taken back does not make the rest right", () => {
  const { clock, pass, set } = setting();
  set(25 * HOUR_S);
  pass(62);
  set(-2 * HOUR_S);
  assert.equal(pass(62), 124);
  assert.equal(clock().isHeld(), true);
});

const CASES: readonly (readonly [
  name: string,
  act: (clock: ReturnType<typeof setting>) => void,
  shown_s: number,
])[] = [
  ["a laptop that sleeps for three days", ({ sleep }) => void sleep(days(3)), days(3)],
  [
    "a week in which the program is down",
    ({ sleep, restart }) => {
      sleep(days(7));
      restart();
    },
    days(7),
  ],
  [
    "a virtual machine that is paused for an hour",
    ({ set, pass }) => {
      set(HOUR_S);
      pass(61);
    },
    61 + HOUR_S,
  ],
  [
    "a leap second",
    ({ set, pass }) => {
      set(-1);
      pass(10);
    },
    9,
  ],
  [
    "a clock that is set right by 90 s",
    ({ set, pass }) => {
      set(90);
      pass(61);
    },
    151,
  ],
];

for (const [name, act, shown_s] of CASES)
  test(`it holds nothing: ${name}`, () => {
    const tested = setting();
    act(tested);
    assert.equal(tested.sleep(0), shown_s);
    assert.equal(tested.clock().isHeld(), false);
  });

test("a restart explains no jump, and an unknown boot ends nothing for ten minutes", () => {
  const { clock, pass, sleep, set, restart } = setting();
  pass(5);
  set(days(41));
  sleep(10);
  assert.equal(restart(), 15);
  assert.equal(clock().apart_s(), days(41));
  assert.equal(pass(61), 76);
  assert.equal(clock().isHeld(), true);
  assert.equal(clock().isNewBoot(), false);

  const booted = setting();
  booted.clock().recall(null);
  assert.equal(booted.clock().isNewBoot(), true);
  booted.sleep(NEW_BOOT_S);
  assert.equal(booted.clock().isNewBoot(), false);
});
