import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY_S } from "../../platform/kernel/time.ts";
import { WEEK_S, weekOf } from "./weeks.ts";

const at = (utc: string) => Date.parse(utc) / 1_000;

test("weeks have the names of ISO 8601, also where years meet", () => {
  const named = {
    "1970-01-01T00:00:00Z": "1970-W01",
    "2000-01-02T23:59:59Z": "1999-W52",
    "2000-02-29T12:00:00Z": "2000-W09",
    "2021-01-03T23:59:59Z": "2020-W53",
    "2021-01-04T00:00:00Z": "2021-W01",
    "2024-12-29T23:59:59Z": "2024-W52",
    "2024-12-30T00:00:00Z": "2025-W01",
    "2026-11-16T00:00:00Z": "2026-W47",
    "2026-12-27T23:59:59Z": "2026-W52",
    "2026-12-28T00:00:00Z": "2026-W53",
    "2027-01-03T23:59:59Z": "2026-W53",
    "2027-01-04T00:00:00Z": "2027-W01",
    "2100-03-01T00:00:00Z": "2100-W09",
  };
  for (const [time, name] of Object.entries(named)) assert.equal(weekOf(at(time)).name, name, time);
});

test("weeks begin on Mondays, follow each other, and sort as text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 4 * DAY_S, max: at("9998-01-01T00:00:00Z") }), (time) => {
      const week = weekOf(time);
      assert.ok(week.opens_at <= time && time < week.closes_at);
      assert.equal(new Date(week.opens_at * 1_000).getUTCDay(), 1);
      assert.equal(week.opens_at % DAY_S, 0);
      assert.deepEqual(weekOf(week.opens_at), week);
      assert.deepEqual(weekOf(week.closes_at - 1), week);
      const next = weekOf(week.closes_at);
      assert.equal(next.closes_at - week.closes_at, WEEK_S);
      assert.ok(next.name > week.name);
      assert.equal(
        weekOf(at(`${week.name.slice(0, 4)}-01-04`)).name,
        `${week.name.slice(0, 4)}-W01`,
      );
    }),
  );
});
