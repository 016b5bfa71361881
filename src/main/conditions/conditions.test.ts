import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eachMarket, type Market } from "../../../test/market-service.ts";
import { eachEngine } from "../../../test/service.ts";
import { holdOrder } from "../../domains/market/orders/operator.ts";
import { addSample } from "../../domains/operator/samples/sample-queries.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { figuresOf, type Measure } from "../../surfaces/operator/metrics.ts";
import { figureLooks } from "../listeners/health.ts";
import { marketMeasures } from "../measures/market.ts";
import { upkeepMeasures } from "../measures/upkeep.ts";
import { noteBackup } from "../storage/last-backup.ts";
import { sentenceOf } from "./condition.ts";
import { CONDITIONS } from "./conditions.ts";

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

/** The alerts that hold by the figures of these measures. */
async function heldBy(measures: readonly Measure[], now: number): Promise<string[]> {
  const values = await figuresOf(measures, figureLooks()).known();
  const known = { value: (figure: string) => values.get(figure), failed: () => 0, now };
  return CONDITIONS.filter(({ test: { wrong } }) => wrong(known) !== null).map(
    ({ alert }) => alert,
  );
}

test("every condition has a sentence for the service and one for Prometheus", () => {
  for (const condition of CONDITIONS) {
    assert.match(sentenceOf(condition, 90_000), /^[A-Z0-9/`].*\.$/, condition.alert);
    assert.match(condition.advice, /^[A-Z`].*\.$/, condition.alert);
  }
});

/** The market's alerts now, with a setting for payouts. */
const marketAlerts = ({ context }: Market, payWithin_s: number) => {
  const { read, clock, settings } = context;
  return heldBy(
    marketMeasures({ read, clock, settings: { ...settings, payWithin_s } }),
    clock.now(),
  );
};

eachMarket("what waits too long for the operator is raised by its own setting", async (market) => {
  const { context, buyer, pass } = market;
  const offer_id = await market.offer();
  const { id: held } = await market.paid(offer_id);
  await holdOrder(context, { order_id: held, reason: "The parties asked for it." });
  const { id: owed } = await market.delivered(offer_id);
  await buyer.post("/market/accept", { order_id: owed });
  const alerts = async (within_h = 72) => {
    await market.watch(); // So that the scan is not old.
    return marketAlerts(market, within_h * HOUR_S);
  };
  assert.deepEqual(await alerts(), []);
  pass(71 * HOUR_S);
  assert.deepEqual(await alerts(), []);
  assert.deepEqual(await alerts(24), ["CairnDebtIsOld"], "CAIRN_MARKET_PAY_WITHIN_H is 24");
  pass(2 * HOUR_S);
  assert.deepEqual(await alerts(), ["CairnDebtIsOld"]);
  assert.deepEqual(await alerts(720), [], "CAIRN_MARKET_PAY_WITHIN_H is 720");
  pass(4 * DAY_S);
  assert.deepEqual(await alerts(720), ["CairnHoldIsOld"]);
  const { counters } = (await market.get("/protection")).body;
  assert.equal(counters.market_held_orders, 1);
  assert.ok(counters.market_oldest_hold_s > 7 * DAY_S);
  assert.ok(counters.market_oldest_payout_s > 72 * HOUR_S);
  assert.equal(counters.market_oldest_refund_s, null);
  const seen = await market.seen(buyer, owed);
  assert.deepEqual([seen.owed_since, seen.overdue], [seen.state_since, true]);
  assert.deepEqual((await market.seen(buyer, held)).owed_since, null);
  assert.equal((await market.get("/market")).body.limits.operator_pays_within_h, 72);
  pass(11 * MINUTE_S);
  const late = await marketAlerts(market, 720 * HOUR_S);
  assert.deepEqual(late, ["CairnHoldIsOld", "CairnScanIsOld"], "nobody looks for payments");
});

eachEngine(
  "a backup is missed by the interval that is set",
  async ({ service: { context }, pass }) => {
    const { read, clock } = context;
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-conditions-"));
    const alerts = (backupDir: string | null, backupEvery_h: number) => {
      const configuration = { dataDir, backupDir, backupEvery_h };
      const measures = upkeepMeasures({ read, now: clock.now, space: () => null, configuration });
      return heldBy(measures, clock.now());
    };
    assert.deepEqual(await alerts(null, 24), [], "the ledger has just begun");
    pass(3 * DAY_S);
    assert.deepEqual(await alerts(null, 24), ["CairnNoBackup"], "there was never one");
    noteBackup(dataDir, { at: clock.now(), file: "copy.db" });
    assert.deepEqual(await alerts(null, 24), []);
    pass(3 * DAY_S);
    assert.deepEqual(await alerts("/copies", 24), ["CairnNoBackup"]);
    assert.deepEqual(await alerts("/copies", 168), [], "one a week is made");
    pass(12 * DAY_S);
    assert.deepEqual(await alerts("/copies", 168), ["CairnNoBackup"]);
  },
);

/** The floors of a disk of so many bytes (decision 3). */
const diskOf = (total_bytes: number, free_bytes: number) => ({
  free_bytes,
  floor_bytes: Math.min(256 * MIB, total_bytes / 16),
  large_floor_bytes: Math.min(GIB, total_bytes / 4),
});

for (const total_gb of [4, 10, 200])
  eachEngine(`a disk of ${total_gb} GB is full by its pace`, async ({ service: { context } }) => {
    const { read, write, clock } = context;
    const total = total_gb * 1e9;
    const configuration = { dataDir: "/nowhere", backupDir: null, backupEvery_h: 24 };
    const isFull = async (free_bytes: number) => {
      const space = () => diskOf(total, free_bytes);
      const measures = upkeepMeasures({ read, now: clock.now, space, configuration });
      return (await heldBy(measures, clock.now())).includes("CairnDiskFull");
    };
    const { large_floor_bytes: floor } = diskOf(total, total);
    const sampled = (ago_s: number, bytes: number) => {
      const figures = JSON.stringify({ disk_free_bytes: String(bytes) });
      const at = clock.now() - ago_s;
      return write((tx) => addSample.run(tx, { step_s: 5 * MINUTE_S, at, figures }));
    };
    const empty = 0.97 * total;
    assert.equal(await isFull(empty), false, "an empty disk, and no samples");
    assert.equal(await isFull(2 * floor), false);
    assert.equal(
      await isFull(2 * floor - 1),
      true,
      "without an hour of samples by the floor alone",
    );
    await sampled(30 * MINUTE_S, total);
    assert.equal(await isFull(empty), false, "half an hour is not measured");
    const room = empty - floor;
    await sampled(HOUR_S, empty + 0.9 * (room / 24));
    assert.equal(await isFull(empty), false, "at this pace large writes go on for a day");
    await sampled(DAY_S, empty + 1.1 * room);
    assert.equal(
      await isFull(empty),
      true,
      "the day's pace is greater, and ends them within a day",
    );
  });
