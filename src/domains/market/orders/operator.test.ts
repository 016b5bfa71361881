import assert from "node:assert/strict";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { agentById } from "../../identity/queries.ts";
import { listDue } from "../payouts/payables.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { holdOrder, resolveOrder } from "./operator.ts";
import { actionableOrders } from "./own-orders.ts";

const BOB = accountText(dev("bob").key);
const CAROL = accountText(dev("carol").key);
const REASON = "The parties asked for it.";

const released = async (market: Market): Promise<{ id: number; seller_raw: bigint }> => {
  const { id, split } = await market.delivered(await market.offer());
  assert.equal((await market.buyer.post("/market/accept", { order_id: id })).status, 200);
  return { id, seller_raw: BigInt(split.seller_raw) };
};

const setAddress = async ({ seller }: Market, address: string) =>
  (await seller.post("/market/payout-address", { address })).body;

eachMarket("a payout is recorded once, and only if the chain shows exactly it", async (market) => {
  const { context, payers, pass } = market;
  const { id: order_id, seller_raw } = await released(market);
  const send = (to: string, amount: bigint, from = "escrow") =>
    payers.chain.wallet.send(dev(from), dev(to).key, amount).hash;
  market.send(20n * seller_raw);
  const record = (txid: string) =>
    recordPayout(context, { order_id, currency: "xno", txid, proof: "checked" });
  const right = send("bob", seller_raw);
  await assert.rejects(record(right), { code: "validation_failed" }, "no address");
  await setAddress(market, BOB.replace("nano_", "xrb_"));
  await assert.rejects(record(right), { code: "validation_failed" }, "an address too new");
  pass(DAY_S);
  const wrong = [
    send("carol", seller_raw),
    send("bob", seller_raw - 1n),
    send("bob", seller_raw + 1n),
    send("bob", seller_raw, "alice"),
  ];
  for (const txid of [...wrong, "zz"])
    await assert.rejects(record(txid), { code: "validation_failed" });
  await assert.rejects(record("1".repeat(64)), { code: "transaction_not_found" });
  assert.deepEqual((await listDue(context, 10)).payouts, [
    {
      order_id,
      agent_id: market.seller.agent_id,
      amount_raw: String(seller_raw),
      address: BOB,
      blocked: null,
      delivery_edited: false,
      owed_since: context.clock.now() - DAY_S,
      overdue: false,
    },
  ]);
  await record(right);
  await assert.rejects(record(right), { code: "invalid_state" });
  assert.deepEqual((await listDue(context, 10)).payouts, []);
  await market.watch();
  const next = await released(market);
  const twice = { order_id: next.id, currency: "xno", txid: right, proof: "checked" } as const;
  await assert.rejects(recordPayout(context, twice), { code: "already_recorded" });
});

eachMarket(
  "a changed address does not redirect a payout, and can be taken back",
  async (market) => {
    const { seller, pass, seen } = market;
    const { id } = await released(market);
    await setAddress(market, BOB);
    pass(DAY_S);
    const changed = await setAddress(market, CAROL);
    assert.equal(changed.payout_address.in_force_until_then, BOB);
    pass(DAY_S - 1);
    assert.equal((await seen(seller, id)).payout.address, BOB);
    await setAddress(market, BOB);
    pass(2);
    assert.equal(
      (await seen(seller, id)).payout.address,
      BOB,
      "the thief's never comes into force",
    );
    pass(DAY_S);
    assert.equal((await seen(seller, id)).payout.address, BOB);
    for (const address of [
      "nano_x",
      BOB.slice(0, -1),
      accountText(dev("escrow").key),
      accountText(dev("project").key),
      "nano_1111111111111111111111111111111111111111111111111111hifc8npp",
    ])
      assert.equal((await seller.post("/market/payout-address", { address })).status, 422, address);
    await market.sequenced();
    const entries = (await readLedger(market)).filter(({ kind }) => kind === "payout_address");
    assert.deepEqual(
      entries.map(({ ref, body }) => [ref, body["address_sha256"]]),
      [BOB, CAROL, BOB].map((address, i) => [`${seller.agent_id}/${i + 1}`, sha256Hex(address)]),
    );
  },
);

eachMarket("the same address again is a repetition, and its day goes on", async (market) => {
  const { seller, pass } = market;
  const set = async (address: string) => (await setAddress(market, address)).payout_address;
  const first = await set(BOB);
  pass(HOUR_S);
  assert.deepEqual(await set(BOB), first, "it waits already");
  pass(DAY_S);
  assert.deepEqual(await set(BOB.replace("nano_", "xrb_")), first, "it is used already");
  const changed = await set(CAROL);
  assert.deepEqual(
    [changed.set_at, changed.in_force_until_then],
    [first.set_at + DAY_S + HOUR_S, BOB],
  );
  pass(1);
  assert.deepEqual(await set(CAROL), changed);
  await market.sequenced();
  const entries = (await readLedger(market)).filter(({ kind }) => kind === "payout_address");
  assert.deepEqual(
    entries.map(({ ref }) => ref),
    [1, 2].map((n) => `${seller.agent_id}/${n}`),
  );
});

eachMarket("a hold stops the clock, and resuming gives all the time back", async (market) => {
  const { context, buyer, seen, pass } = market;
  const before = await market.delivered(await market.offer());
  const { id: order_id } = before;
  pass(HOUR_S);
  await holdOrder(context, { order_id, reason: REASON });
  const held = await seen(buyer, order_id);
  assert.deepEqual(
    [held.state, held.deadline_at, held.allowed_actions],
    ["held", held.state_since + 30 * DAY_S, []],
  );
  assert.deepEqual([held.hold.reason, held.hold.remaining_s], [REASON, 71 * HOUR_S]);
  pass(30 * DAY_S - 1);
  assert.equal((await seen(buyer, order_id)).state, "held");
  await resolveOrder(context, { order_id, outcome: "resume", reason: "Nothing was wrong." });
  const after = await seen(buyer, order_id);
  assert.equal(after.state, "delivered");
  for (const field of ["deliver_by", "refund_at", "accept_by"])
    assert.equal(after[field], before[field] + 30 * DAY_S - 1 + HOUR_S, field);
  assert.equal(after.accept_by, after.state_since + 72 * HOUR_S, "three days at least");
  assert.deepEqual(
    [after.hold.outcome, after.hold.outcome_reason],
    ["resume", "Nothing was wrong."],
  );
  await market.sequenced();
  const { entries } = (await market.get(`/market/ledger?order_id=${order_id}&limit=2`)).body;
  assert.deepEqual(
    entries.map(({ kind, reason }: { kind: string; reason: string }) => [kind, reason]),
    [
      ["order_resolved", "Nothing was wrong."],
      ["order_held", REASON],
    ],
  );
  await assert.rejects(holdOrder(context, { order_id, reason: " " }), {
    code: "validation_failed",
  });
  const stones = (n: number) => "🪨".repeat(n); // Two UTF-16 units each, and one character.
  await assert.rejects(holdOrder(context, { order_id, reason: stones(501) }), {
    code: "validation_failed",
  });
  await assert.rejects(holdOrder(context, { order_id: 99, reason: stones(500) }), {
    code: "order_not_found",
  });
  await assert.rejects(holdOrder(context, { order_id: 99, reason: REASON }), {
    code: "order_not_found",
  });
});

eachMarket("refunds go to the account that paid, or elsewhere with a reason", async (market) => {
  const { context, payers, buyer, seen } = market;
  const { id: order_id, split } = await market.order(await market.offer());
  market.send(split.due_raw, "carol");
  await market.watch();
  market.send(split.due_raw, "bob");
  await market.watch();
  await holdOrder(context, { order_id, reason: REASON });
  await resolveOrder(context, { order_id, outcome: "refund", reason: REASON });
  const due = BigInt(split.due_raw);
  const back = (to: string) => payers.chain.wallet.send(dev("escrow"), dev(to).key, due).hash;
  const record = (n: number, txid: string, fields = {}) =>
    recordRefund(context, { order_id, n, currency: "xno", txid, proof: "checked", ...fields });
  await assert.rejects(record(2, back("alice")), { code: "validation_failed" });
  await record(2, back("carol"));
  assert.equal((await seen(buyer, order_id)).state, "refunded", "bob's came too much later");
  market.send(2n * due);
  const elsewhere = back("erin");
  const to = accountText(dev("erin").key);
  await assert.rejects(record(1, elsewhere, { to }), { code: "validation_failed" });
  await record(1, elsewhere, { to, reason: REASON });
  const { state, refunds } = await seen(buyer, order_id);
  assert.equal(state, "refunded");
  assert.deepEqual(
    refunds.map(({ state, to }: { state: string; to: string }) => [state, to]),
    [
      ["sent", to],
      ["sent", CAROL],
    ],
  );
  await assert.rejects(record(1, back("bob")), { code: "validation_failed" });
});

eachMarket("with the node down a payout is refused, or recorded as unchecked", async (market) => {
  const { context, payers, pass, seller, seen } = market;
  const { id: order_id } = await released(market);
  await setAddress(market, BOB);
  pass(DAY_S);
  payers.spoil(FAULTS.brokenProxy);
  const sent = { order_id, currency: "xno", txid: "A".repeat(64) } as const;
  await assert.rejects(recordPayout(context, { ...sent, proof: "checked" }), {
    code: "chain_unavailable",
  });
  await assert.rejects(recordPayout(context, { ...sent, proof: "unchecked" }), {
    code: "validation_failed",
  });
  assert.equal((await seen(seller, order_id)).state, "released");
  await recordPayout(context, { ...sent, proof: "unchecked", reason: REASON });
  assert.equal((await seen(seller, order_id)).state, "paid_out");
  await market.sequenced();
  const [entry] = (await market.get("/market/ledger?limit=1")).body.entries;
  assert.deepEqual([entry.kind, entry.checked, entry.to], ["payout", false, BOB]);
  assert.deepEqual(entry.agent, { agent_id: seller.agent_id, handle: "ada" });
});

eachMarket("an agent's queue holds the orders on which it can do something", async (market) => {
  const { context, seller, buyer, pass } = market;
  const offer_id = await market.offer();
  const unpaid = await market.order(offer_id);
  const { id: paid } = await market.paid(offer_id);
  const { id: delivered } = await market.delivered(offer_id);
  const { id: owed } = await released(market);
  const queue = async ({ agent_id }: typeof seller) => {
    const agent = await agentById.first(context.read, { agent_id });
    assert.ok(agent);
    const shown = { limit: 10, now: context.clock.now() };
    const orders = await actionableOrders(context.read, agent.id, shown);
    return orders.map(({ id, allowed_actions }) => [id, ...allowed_actions]);
  };
  assert.deepEqual(await queue(buyer), [
    [unpaid.id, "pay", "withdraw"],
    [delivered, "accept", "dispute"],
  ]);
  assert.deepEqual(await queue(seller), [
    [delivered, "deliver"],
    [paid, "deliver"],
    [owed, "set_payout_address"],
  ]);
  pass(HOUR_S);
  assert.deepEqual(
    await queue(buyer),
    [[delivered, "accept", "dispute"]],
    "the time to pay is over",
  );
});
