import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { breachesIn, emptyBooks } from "../src/cli/audit/replay.ts";
import { newReplay } from "../src/cli/audit/rules/rules-audit.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { announce } from "../src/platform/ledger/announcements/announce.ts";
import { eachEngine } from "./service.ts";
import { auditRun, newFile } from "./verify-run.ts";

/** The most that an application may declare; nine of them pass 2^53 millionths. */
const VALUATION = "999999999.999999";

eachEngine("an audit allows a sum the digits that a JSON number has", async (service) => {
  const agent = await service.register("ada");
  for (let n = 1; n <= 9; n++) {
    const app = { name: `v${n}`, description: "d", homepage: "https://x.example" };
    const { status } = await agent.post("/app", { ...app, valuation_usd: VALUATION });
    assert.equal(status, 201);
  }
  await service.seal();
  const { exit_code, text } = await auditRun([service.url, "--equal", "--state", newFile()]);
  assert.equal(exit_code, 0, text);
  assert.match(text, / {2}= {2}applications_declared_value_usd {2}8999999999\.99999\d?\n/);
});

eachEngine(
  "an hour with more rewards than announced is a figure and a warning",
  async (service) => {
    const { context, signer } = service.service;
    const report = newFile();
    const audited = async () => {
      await service.seal();
      const found = await auditRun([service.url, "--state", newFile(), "--html", report]);
      assert.equal(found.exit_code, 0, found.text);
      return found.text;
    };
    assert.doesNotMatch(await audited(), /Most rewards|Warning/);
    const [title, body] = ["One reward", "One reward an hour."];
    const announcement = { kind: "limit_added", title, body, rewards_per_hour: 1 } as const;
    await context.write((tx) => announce(tx, context, signer, announcement));
    await service.sequenced();
    service.pass(2 * HOUR_S);
    const agent = await service.register("ada");
    // No process has looked at the announcement yet, so all of them are granted.
    for (let n = 1; n <= 5; n++) {
      const app = { name: `a${n}`, description: "d", homepage: "https://x.example" };
      assert.equal((await agent.post("/app", app)).body.reward.why, null);
    }
    const text = await audited();
    assert.match(
      text,
      /\nMost rewards in an hour: 5, from .*:00:00Z; the announced limit was 1\.\n/,
    );
    assert.match(text, /\nWarning: 5 rewards in the hour from /);
    const page = readFileSync(report, "utf8");
    assert.match(page, /Most rewards in an hour: 5/);
    assert.match(page, /<li>Warning: 5 rewards in the hour/);
    const json = await auditRun([service.url, "--state", newFile(), "--json"]);
    const { exit_code, most_rewards, warnings } = JSON.parse(json.text);
    assert.deepEqual([exit_code, most_rewards.rewards, most_rewards.announced], [0, 5, 1]);
    assert.equal(warnings.length, 1);
  },
);

test("sums that do not hold are told where no rule was broken", () => {
  const agent = (letter: string) => `ag_${letter.repeat(20)}`;
  const [books, rules] = [emptyBooks(), newReplay()];
  const add = (id: number, kind: string, body: Record<string, string | number>) => {
    const entry = { id, at: 1, kind, ref: String(id), body };
    books.add(entry);
    return entry;
  };
  const supply = { coin_total_micro: 1e14, coin_locked_micro: 5e13, coin_reward_pool_micro: 5e13 };
  add(1, "genesis", supply);
  add(2, "coin_transfer", { transfer_id: 1, from: agent("a"), to: agent("b"), amount_micro: 5 });
  const raw = { fee_raw: "1", seller_raw: `${8n * 10n ** 23n}`, due_raw: `1${"0".repeat(24)}1` };
  const split = { price_usd_micro: 1e7, fee_usd_micro: 2e6, seller_usd_micro: 8e6 };
  add(3, "order", { order_id: 7, ...split, ...raw });
  const fee = add(4, "fee", { order_id: 7, usd_micro: 1, amount_raw: "1" });
  assert.deepEqual(breachesIn(books, rules), [
    { ledger_id: 4, rule: `I4, agent:${agent("a")} is below 0` },
    { ledger_id: 4, rule: "I12, the accounts of order 7 do not balance" },
  ]);
  rules.add(fee);
  const found = breachesIn(books, rules).map(({ ledger_id }) => ledger_id);
  assert.deepEqual(found, [4], "a rule says it already");
});
