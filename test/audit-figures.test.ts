import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyBooks } from "../src/cli/audit/books.ts";
import { auditRun } from "../src/cli/audit.ts";
import { newFile } from "./verify-run.ts";
import { eachEngine } from "./world.ts";

/** The most that an application may declare; nine of them pass 2^53 millionths. */
const VALUATION = "999999999.999999";

eachEngine("an audit allows a sum the digits that a JSON number has", async (world) => {
  const agent = await world.register("ada");
  for (let n = 1; n <= 9; n++) {
    const app = { name: `v${n}`, description: "d", homepage: "https://x.example" };
    const { status } = await agent.post("/app", { ...app, valuation_usd: VALUATION });
    assert.equal(status, 201);
  }
  await world.seal();
  const { exit_code, text } = await auditRun([world.url, "--state", newFile()]);
  assert.equal(exit_code, 0, text);
  assert.match(text, / {2}= {2}applications_declared_value_usd {2}8999999999\.99999\d?\n/);
});

test("a sealed entry that breaks a rule is named", () => {
  const books = emptyBooks();
  const add = (id: number, kind: string, body: Record<string, string | number>) =>
    books.add({ id, at: 1, kind, ref: String(id), body });
  const supply = { coin_total_micro: 1e14, coin_locked_micro: 5e13, coin_reward_pool_micro: 5e13 };
  add(1, "genesis", supply);
  add(2, "coin_transfer", { transfer_id: 1, from: "ada", to: "bob", amount_micro: 5 });
  const order = { order_id: 1, price_usd_micro: 1e7, due_raw: `1${"0".repeat(24)}1` };
  const split = { fee_usd_micro: 1, seller_usd_micro: 9_999_999, fee_raw: "1", seller_raw: "1" };
  add(3, "order", { ...order, ...split });
  assert.deepEqual(books.breaches(), [
    { ledger_id: 2, rule: "coin I4" },
    { ledger_id: 3, rule: "order 1 is not split 80 to 20" },
  ]);
});
