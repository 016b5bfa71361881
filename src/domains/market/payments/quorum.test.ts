import assert from "node:assert/strict";
import { only } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { POOR } from "../../../../test/poor-lists.ts";
import { type Fault, honest } from "../../../platform/chain/dev/node.ts";
import { HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { settleDueOrders } from "../orders/timers.ts";

const NODES = 3;

const lagging = only(["receivable"], (action, _answer, request) =>
  honest(action, { blocks: "" }, request),
);

/** So long that an unpaid order is out of time, and no earlier scan lets anybody pay. */
const TOO_LATE_S = HOUR_S + 12 * MINUTE_S;

/** Of three nodes so many tell too little, from before a payment until its order would have expired. */
async function orders(market: Market, fault: Fault, faulty: number) {
  const { context, buyer, seen, payers, pass } = market;
  const offer_id = await market.offer();
  const [paid, unpaid] = [await market.order(offer_id), await market.order(offer_id)];
  payers.spoil(fault, faulty);
  market.send(paid.split.due_raw);
  const round = async () => {
    payers.pass(HOUR_S * 1_000);
    await market.watch().catch(() => {});
    await settleDueOrders(context, 100);
  };
  await round();
  pass(11 * MINUTE_S);
  await round();
  const asked = await buyer.post("/market/order", { offer_id });
  pass(TOO_LATE_S);
  await round();
  const during = [asked.status, ...(await Promise.all([paid, unpaid].map(stateOf)))];

  payers.spoil(fault, 0);
  await round();
  const after = await Promise.all([paid, unpaid].map(stateOf));
  return { during, after };

  async function stateOf({ id }: { readonly id: number }): Promise<string> {
    return (await seen(buyer, id)).state;
  }
}

for (const quorum of [1, 2, 3])
  eachMarket(
    `with a quorum of ${quorum} of three nodes no paid order expires, and none is made unseen`,
    async (market) => {
      // A node that is behind lacks the newest of these, from which on it is asked.
      for (let n = 0; n < 2; n++) {
        market.send(10n ** 30n);
        market.payers.chain.wallet.receive(dev("escrow"));
      }
      await market.watch();
      for (const [name, fault] of Object.entries(POOR))
        for (const faulty of [1, 2, 3]) {
          const named = `${faulty} ${name}`;
          const { during, after } = await orders(market, fault, faulty);
          const isQuorum = NODES - faulty >= quorum;
          const expected = isQuorum
            ? [201, "paid", "expired"]
            : [503, "awaiting_payment", "awaiting_payment"];
          assert.deepEqual(during, expected, named);
          assert.deepEqual(after, ["paid", "expired"], `${named}, when they tell everything again`);
        }
      // A node with a whole list that lacks the newest transfer is made up for by one that has it.
      const { during } = await orders(market, lagging, 2);
      assert.deepEqual(during, [201, "paid", "expired"]);
    },
    {},
    { quorum, nodes: NODES },
  );
