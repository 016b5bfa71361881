import assert from "node:assert/strict";
import { dev } from "../../../test/chain-service.ts";
import { eachMarket } from "../../../test/market-service.ts";
import { dueOf } from "../../domains/market/payouts/payables.ts";
import { accountText } from "../../platform/chain/account.ts";
import type { Rejection } from "../../platform/kernel/contract/errors.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import { doAct } from "./acts.ts";

const BOB = accountText(dev("bob").key);

eachMarket(
  "a form of money wants the order's id twice, and nothing that only a command takes",
  async (market) => {
    const { context, seller, buyer, payers, pass } = market;
    const { id, split } = await market.delivered(await market.offer());
    await buyer.post("/market/accept", { order_id: id });
    await seller.post("/market/payout-address", { address: BOB });
    pass(DAY_S);
    const { payouts, refunds } = await dueOf(context, id);
    assert.deepEqual(
      payouts.map(({ order_id, amount_raw, address }) => [order_id, amount_raw, address]),
      [[id, split.seller_raw, BOB]],
    );
    assert.deepEqual(refunds, []);
    assert.deepEqual((await dueOf(context, id + 1)).payouts, []);

    const amount = BigInt(split.seller_raw);
    market.send(20n * amount);
    const txid = payers.chain.wallet.send(dev("escrow"), dev("bob").key, amount).hash;
    const done: string[] = [];
    const parts = { context, acted: async ({ name }: { name: string }) => void done.push(name) };
    const sent = { order: String(id), txid, sure: String(id) };
    const refused = (changes: Readonly<Record<string, string>>, says: RegExp) =>
      assert.rejects(doAct(parts, "market payout", { ...sent, ...changes }), (error: Rejection) => {
        assert.equal(error.code, "validation_failed");
        assert.match(error.message, says);
        return true;
      });
    for (const sure of ["", "on", `${id}1`])
      await refused({ sure }, /^Type the order's id once more/);
    for (const [key, value] of Object.entries({ unchecked: "on", currency: "xmr", to: BOB }))
      await refused({ [key]: value }, /^Record that with `cairn market payout`\.$/);
    const { text } = await doAct(parts, "market payout", sent);
    assert.equal(text, `The payout is recorded. Order ${id} is paid_out.`);
    assert.deepEqual(done, ["market payout"]);
    assert.deepEqual((await dueOf(context, id)).payouts, []);
  },
);
