import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { type Fault, honest } from "../../../platform/chain/dev/node.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { recordPayout } from "./settlements.ts";

/** A node that says that it forgets blocks, and has forgotten this one. */
const forgot =
  (hash: string, says: boolean): Fault =>
  (action, answer, request) => {
    if (action === "block_count" && says)
      return honest(action, { ...answer, pruned: "100000" }, request);
    const isAsked = action === "blocks_info" && request.includes(hash);
    return honest(action, isAsked ? { blocks: "", blocks_not_found: [hash] } : answer, request);
  };

/** A payout that was truly sent, recorded while no node answered. */
async function unchecked(market: Market): Promise<{ id: number; hash: string }> {
  const { context, seller, buyer, payers, pass } = market;
  const { id, split } = await market.delivered(await market.offer());
  await seller.post("/market/payout-address", { address: accountText(dev("bob").key) });
  pass(DAY_S + 1);
  await buyer.post("/market/accept", { order_id: id });
  market.send(10n ** 32n);
  const { wallet } = payers.chain;
  const { hash } = wallet.send(dev("escrow"), dev("bob").key, BigInt(split.seller_raw));
  const sent = { order_id: id, currency: "xno", txid: hash, proof: "unchecked" } as const;
  await recordPayout({ ...context, chain: null }, { ...sent, reason: "No node answers." });
  return { id, hash };
}

for (const says of [true, false])
  eachMarket(
    `a payout that the only node has not got is ${says ? "not owed again: it forgets blocks" : "owed again"}`,
    async (market) => {
      const { payers, pass, seen, buyer } = market;
      const { id, hash } = await unchecked(market);
      payers.spoil(forgot(hash, says));
      pass(3 * DAY_S + 60);
      payers.pass(4 * DAY_S * 1_000);
      await payers.adapter.check();
      const reopened = await market.recheck();
      assert.deepEqual(reopened, says ? [] : [`payout/${id}`]);
      assert.equal((await seen(buyer, id)).state, says ? "paid_out" : "released");
    },
  );
