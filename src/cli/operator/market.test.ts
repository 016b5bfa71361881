import assert from "node:assert/strict";
import { dev } from "../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../test/market-service.ts";
import { operate, refuses } from "../../../test/operator.ts";
import { accountText } from "../../platform/chain/account.ts";
import { DAY_S } from "../../platform/kernel/time.ts";

const BOB = accountText(dev("bob").key);

/** The market's service as a command has it: connected with the chain. */
const serviceOf = ({ service, context }: Market) => ({ ...service, context });

/** Sends from the escrow account, which has enough; the hash. */
const sendFromEscrow = (market: Market, to: string, amount_raw: string): string => {
  market.send(10n ** 32n);
  return market.payers.chain.wallet.send(dev("escrow"), dev(to).key, BigInt(amount_raw)).hash;
};

eachMarket("cairn market hold, resolve, due and payout", async (market) => {
  const { seller, seen, pass } = market;
  const service = serviceOf(market);
  await seller.post("/market/payout-address", { address: BOB });
  pass(DAY_S);
  await market.watch();
  const { id, split } = await market.delivered(await market.offer());
  const order = String(id);
  const held = await operate(service, "market hold", order, "--reason", "A question is open.");
  assert.deepEqual(held, {
    text: `The clock is stopped. Order ${id} is held.`,
    facts: { order_id: id, state: "held" },
  });
  await refuses(service, ["market hold", order, "--reason", "Again."], /state: held/);
  await refuses(service, ["market hold", order], /--reason is missing/);
  await refuses(service, ["market hold", "99", "--reason", "-"], /no order/);
  const outcome = ["--outcome", "release", "--reason", "It was delivered."];
  assert.equal(
    (await operate(service, "market resolve", order, ...outcome)).facts["state"],
    "released",
  );
  await refuses(service, ["market resolve", order, ...outcome], /state: released/);
  await refuses(service, ["market resolve", order, "--outcome", "guess"], /allowed is release, /);

  const due = await operate(service, "market due");
  assert.ok(due.text.startsWith(`payout  order ${id}: ${split.seller_raw} raw (`), due.text);
  assert.ok(due.text.endsWith(`XNO) to ${BOB}`), due.text);
  const wrong = sendFromEscrow(market, "carol", split.seller_raw);
  await refuses(service, ["market payout", order, "--txid", wrong], /txid: is not the transfer/);
  await refuses(
    service,
    ["market payout", order, "--txid", wrong, "--unchecked"],
    /reason: must be/,
  );
  const right = sendFromEscrow(market, "bob", split.seller_raw);
  assert.equal(
    (await operate(service, "market payout", order, "--txid", right)).facts["state"],
    "paid_out",
  );
  assert.equal((await seen(seller, id)).payout.txid, right);
  await refuses(service, ["market payout", order, "--txid", right], /state: paid_out/);
  assert.equal((await operate(service, "market due")).text, "Nothing is owed.");
});

eachMarket("cairn market paid and refund", async (market) => {
  const service = serviceOf(market);
  const { buyer, seen } = market;
  const { id, split } = await market.order(await market.offer());
  const order = String(id);
  const rounded = (BigInt(split.due_raw) / 10n ** 24n) * 10n ** 24n;
  const sent = market.send(rounded);
  await market.watch();
  assert.match(
    (await operate(service, "market due")).text,
    new RegExp(`without an order: ${rounded} raw`),
  );
  const paid = ["market paid", order, "--txid", sent, "--currency", "xno"] as const;
  await refuses(service, ["market paid", order, "--txid", sent], /--currency is missing/);
  await refuses(
    service,
    ["market paid", order, "--txid", "t", "--currency", "btc"],
    /reason: must be/,
  );
  assert.equal((await operate(service, ...paid)).facts["state"], "paid");
  await refuses(service, paid, /recorded/);

  await operate(service, "market hold", order, "--reason", "Both want it.");
  const outcome = ["--outcome", "refund", "--reason", "Both wanted it."];
  await operate(service, "market resolve", order, ...outcome);
  const { text, facts } = await operate(service, "market due", "--limit", "1");
  assert.match(text, new RegExp(`^refund  order ${id}, debt 1 \\(operator\\): ${rounded} raw`));
  assert.deepEqual(Object.keys(facts), ["payouts", "refunds", "unmatched", "doubts", "chain"]);
  const back = sendFromEscrow(market, "alice", String(rounded));
  await refuses(service, ["market refund", order, "--n", "2", "--txid", back], /no such open debt/);
  await refuses(service, ["market refund", order, "--to", BOB, "--txid", back], /reason: must be/);
  assert.equal(
    (await operate(service, "market refund", order, "--txid", back)).facts["state"],
    "refunded",
  );
  assert.equal((await seen(buyer, id)).refunds[0].txid, back);
  await refuses(service, ["market refund", order, "--txid", back], /no such open debt/);
});
