import assert from "node:assert/strict";
import { test } from "node:test";
import { hourOf } from "../../domains/coin/grants.ts";
import { dayOf, isoOf } from "../../platform/kernel/iso-time.ts";
import { plot } from "../../platform/kernel/plot.ts";
import { paceFold } from "./pace.ts";
import { rewardLines } from "./text-report.ts";

/** Times that an entry may name: after the years with four digits, after all that a Date takes, the largest. */
const BEYOND = [253_402_300_800, 8_640_000_000_001, Number.MAX_SAFE_INTEGER];

test("a time that RFC 3339 does not have is shown as a number", () => {
  assert.equal(isoOf(0), "1970-01-01T00:00:00Z");
  assert.equal(isoOf(253_402_300_799), "9999-12-31T23:59:59Z");
  assert.equal(dayOf(1_800_000_000), "2027-01-15");
  for (const at of [...BEYOND, -62_167_219_201, Number.NaN])
    assert.deepEqual([isoOf(at), dayOf(at)], [`${at}`, `${at}`]);
});

test("reports and plots show such a time", () => {
  for (const at of BEYOND) {
    const points = [{ at: 1 }, { at }];
    const shown = plot({ title: "Times", lines: [["at", (point) => point.at]] }, points);
    assert.match(shown.text, new RegExp(`>${at}</text>`));
    const hour = hourOf(at);
    const pace = paceFold();
    const body = { rewards_per_hour: 1 };
    pace.add({ id: 1, at: 1, kind: "announcement", ref: "1", body });
    const grants = [{ hour, n: 90, amount: 9, newcomers: 0 }];
    assert.match(String(pace.warnings(grants)), new RegExp(`the hour from ${hour * 3_600},`));
    const mostRewards = pace.most(grants);
    assert.ok(mostRewards);
    const audit = { mostRewards } as Parameters<typeof rewardLines>[0];
    assert.match(String(rewardLines(audit)), new RegExp(`from ${hour * 3_600};`));
  }
});
