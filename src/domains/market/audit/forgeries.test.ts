import assert from "node:assert/strict";
import { newPair, setKey, signedBody } from "../../../../test/act-keys.ts";
import { dev } from "../../../../test/chain-service.ts";
import { type Body, History } from "../../../../test/history.ts";
import { type LedgerItem, readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { ESCROW, orderOf, paymentOf, txid } from "../../../../test/order-history.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S, days, HOUR_S } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { addOwnAccount } from "../../transfers/own-accounts.ts";
import { UNIT_RAW } from "../amounts.ts";
import { holdOrder } from "../orders/operator.ts";
import { AGREEMENTS, type HoldEnd } from "../rules.ts";

// Histories that continue the ledger of a real market. Each names the sentences that refuse it.

const THIEF = accountText(dev("erin").key);
const BUYER = accountText(dev("alice").key);

/** The market's own ledger, to be continued. */
async function historyOf(market: Market): Promise<History> {
  await market.sequenced();
  const items: LedgerItem[] = await readLedger(market);
  return new History(items.map(({ id, at, kind, ref, body }) => ({ id, at, kind, ref, body })));
}

const nameEscrow = ({ context }: Market) =>
  addOwnAccount(context, { address: ESCROW, role: "escrow" });

const orderBody = (market: Market, history: History, changed: Body = {}): Body =>
  orderOf(history, {
    ...{ order_id: 2, buyer: market.buyer.agent_id, seller: market.seller.agent_id },
    ...changed,
  });

const TERMS = { price_usd: "10", sla_hours: 72 };

eachMarket("orders that no buyer was offered are refused", async (market) => {
  await nameEscrow(market);
  await market.offer(TERMS);
  await market.order(1);
  const thief = await market.register("thief");
  const honest = await historyOf(market);
  const after = (changed: Body) => {
    const history = new History(honest.entries);
    return history.add("order", orderBody(market, history, changed)).refused();
  };
  assert.deepEqual(after({}), [], "an order as the service makes it");
  const due = "order: An invoice is the price at the rate, and the tag of its order.";
  const terms = "order: An order has the price and the delivery time of its offer.";
  assert.deepEqual(after({ base_raw: `${125n * 10n ** 30n}` }), [due], "ten times the price");
  assert.deepEqual(after({ base_raw: `${10n ** 24n}` }), [due], "next to nothing");
  assert.deepEqual(after({ price_usd_micro: 4_000_000_000 }), [terms], "400 times the price");
  assert.deepEqual(after({ sla_hours: 1 }), [terms], "an hour to deliver");
  assert.deepEqual(after({ seller: thief.agent_id }), [
    "order: The seller of an order is the agent of its offer.",
  ]);
  assert.deepEqual(after({ buyer: market.seller.agent_id }), [
    "order: This offer is your own; order another agent's.",
  ]);
  assert.deepEqual(after({ expires_at: honest.now + 1 + HOUR_S }), [
    "order: It got its place before it was made, or more than 300 seconds after.",
  ]);
  const escrow = "order: An invoice is paid to an escrow account that the ledger names.";
  assert.deepEqual(after({ escrow: THIEF }), [escrow]);
  assert.deepEqual(after({ escrow: undefined }), [
    "order: No order has such a field, or lacks it: escrow.",
  ]);
  const withdrawn = new History(honest.entries).add("offer_withdrawn", { offer_id: 1 });
  assert.deepEqual(withdrawn.add("order", orderBody(market, withdrawn)).refused(), [
    "order: The seller has withdrawn this offer. {market.offers} lists others.",
  ]);
});

eachMarket("payments that do not pay an order are refused", async (market) => {
  await nameEscrow(market);
  await market.offer(TERMS);
  const [first, second] = [await market.order(1), await market.order(1)];
  const honest = await historyOf(market);
  const due_raw = BigInt(first.split.due_raw);
  const paidAt = (history: History, received_raw: bigint, changed: Body = {}): Body => {
    const deliver_by = history.now + 72 * HOUR_S;
    return {
      order_id: 1,
      received_raw: `${received_raw}`,
      deliver_by,
      refund_at: deliver_by + DAY_S,
      ...changed,
    };
  };
  const open = () => new History(honest.entries);
  const paid = open().add("order_payment", paymentOf(due_raw));
  assert.deepEqual(paid.add("order_paid", paidAt(paid, due_raw)).refused(), [], "an honest one");

  const tag = due_raw % UNIT_RAW;
  const little = UNIT_RAW + tag;
  const short = open().add("order_payment", paymentOf(little));
  assert.deepEqual(short.add("order_paid", paidAt(short, little)).refused(), [
    "order_paid: No entry before it says that it has to follow.",
  ]);
  assert.deepEqual(open().add("order_payment", paymentOf(due_raw)).refused(), [
    "order: order_paid has to follow and never came.",
  ]);
  const late = open().add("order_payment", paymentOf(due_raw));
  const stretched = paidAt(late, due_raw, { deliver_by: late.now + 720 * HOUR_S });
  assert.deepEqual(late.add("order_paid", stretched).refused(), [
    "order_paid: A seller has the offer's delivery time from the payment on.",
  ]);
  const twice = 2n * due_raw - tag;
  const double = open().add("order_payment", paymentOf(twice));
  double.add("order_paid", paidAt(double, twice));
  assert.deepEqual(double.refused(), ["order: refund_due has to follow and never came."]);
  assert.deepEqual(
    open().add("order_payment", paymentOf(second.split.due_raw)).refused().slice(0, 1),
    ["order_payment: Its digits name another order, and no reason is given."],
  );
  const stranger = paymentOf(second.split.due_raw, { amount_raw: `${due_raw + 1n}` });
  assert.deepEqual(open().add("order_payment", stranger).refused().slice(0, 1), [
    "order_payment: Its digits name no order, and its sender has not paid for this one.",
  ]);
  const expired = open()
    .add("order_payment", paymentOf(due_raw - 2n * UNIT_RAW))
    .pass(2 * HOUR_S)
    .add("order_expired", { order_id: 1 });
  assert.deepEqual(expired.refused(), ["order: refund_due has to follow and never came."]);
  assert.deepEqual(open().pass(HOUR_S).add("order_expired", { order_id: 1 }).refused(), [
    "order_expired: The hour to pay, and ten minutes more, are not over.",
  ]);
  const byHand = paymentOf(due_raw, { checked: 0, role: "manual", from_sha256: undefined });
  assert.deepEqual(open().add("order_payment", byHand).refused().slice(0, 1), [
    "order_payment: A transfer that no chain has shown is recorded with a reason.",
  ]);
});

const DELIVERED = { content_commitment: "a".repeat(64), bytes: 1, late: 0 };

eachMarket("an order that is paid ends by its own clock, or by its parties", async (market) => {
  await nameEscrow(market);
  const { id, split } = await market.paid(await market.offer(TERMS));
  const honest = await historyOf(market);
  const open = () => new History(honest.entries);
  const from_sha256 = honest.entries.find(({ kind }) => kind === "order_payment")?.body[
    "from_sha256"
  ];
  const owed = (history: History, amount_raw: string, changed: Body = {}) =>
    history.add("refund_due", {
      order_id: id,
      n: 1,
      amount_raw,
      why: "undelivered",
      to_sha256: from_sha256,
      ...changed,
    });
  const overdue = () =>
    open()
      .pass(days(4) + 1)
      .add("order_undelivered", { order_id: id });
  assert.deepEqual(owed(overdue(), split.due_raw).refused(), [], "an honest end");

  const released = open().pass(1).add("order_released", { order_id: id, by: "buyer" });
  const state = "The order's state does not allow this. {market.get} shows what it allows.";
  assert.deepEqual(released.refused().slice(0, 1), [`order_released: ${state}`]);
  const early = open().pass(1).add("order_undelivered", { order_id: id });
  assert.deepEqual(owed(early, split.due_raw).refused(), [
    "order_undelivered: The time to deliver is not over.",
  ]);
  const next =
    "refund_due: The entry before it says that another one has to come next of its order.";
  assert.deepEqual(owed(overdue(), `${UNIT_RAW}`).refused().slice(0, 1), [next], "one unit of it");
  assert.deepEqual(owed(overdue(), split.due_raw, { to_sha256: undefined }).refused().slice(0, 1), [
    next,
  ]);
  assert.deepEqual(open().live(8).refused(), [
    "order: Its time was over, and it had to be refund_due.",
  ]);
  const fee = { order_id: id, usd_micro: 2_000_000, amount_raw: split.due_raw };
  assert.deepEqual(open().add("fee", fee).refused(), [
    "fee: No entry before it says that it has to follow.",
  ]);
  const elsewhere = owed(overdue(), split.due_raw);
  const refund = (changed: Body) => ({
    order_id: id,
    n: 1,
    currency: "xno",
    txid: txid(),
    to: THIEF,
    amount_raw: split.due_raw,
    checked: 1,
    ends: 1,
    ...changed,
  });
  assert.deepEqual(new History(elsewhere.entries).add("refund", refund({})).refused(), [
    "refund: A refund goes to the account that is owed, or says that it does not.",
  ]);
  const redirected = refund({ redirected: 1, reason_sha256: "b".repeat(64) });
  const told = new History(elsewhere.entries).add("refund", redirected);
  assert.deepEqual(told.refused(), [], "not provable: it is the operator's word");
  assert.deepEqual(told.words()["refunds redirected"], 1);
  const tooLate = open().pass(days(30));
  const accept_by = tooLate.now + days(3);
  const late = { order_id: id, n: 1, ...DELIVERED, late: 1, accept_by };
  assert.deepEqual(tooLate.add("order_delivered", late).refused().slice(0, 1), [
    `order_delivered: ${state}`,
  ]);
});

const STATE = "The order's state does not allow this. {market.get} shows what it allows.";
const ELSEWHERE =
  "payout: A payout goes to an address that its seller had in force since the release.";

/** A delivered order, and the entries that end it. */
async function sale(market: Market) {
  await nameEscrow(market);
  const address = accountText(dev("dave").key);
  assert.equal((await market.seller.post("/market/payout-address", { address })).status, 200);
  await market.sequenced();
  market.pass(DAY_S);
  await market.watch();
  const order = await market.delivered(await market.offer(TERMS));
  const { id, split } = order;
  const honest = await historyOf(market);
  const seller_raw = BigInt(split.seller_raw);
  const open = () => new History(honest.entries);
  const released = (history: History, by: string) =>
    history
      .add("order_released", { order_id: id, by })
      .add("fee", {
        order_id: id,
        usd_micro: 2_000_000,
        amount_raw: `${BigInt(split.due_raw) - seller_raw}`,
      })
      .add("payout_due", {
        order_id: id,
        agent: market.seller.agent_id,
        usd_micro: 8_000_000,
        amount_raw: `${seller_raw}`,
      });
  const payout = (changed: Body = {}): Body => ({
    order_id: id,
    agent: market.seller.agent_id,
    currency: "xno",
    txid: txid(),
    to: address,
    amount_raw: `${seller_raw}`,
    checked: 1,
    ...changed,
  });
  const sold = () => released(open(), "buyer");
  return { id, open, released, payout, sold, seller_raw };
}

eachMarket(
  "a delivery is released when it was accepted, and its seller is paid",
  async (market) => {
    const { id, open, released, payout, sold, seller_raw } = await sale(market);
    assert.deepEqual(sold().add("payout", payout(), `${id}`).refused(), [], "an honest sale");

    assert.deepEqual(released(open().pass(1), "deadline").refused(), [
      "order_released: The time to look at the delivery is not over.",
    ]);
    const undelivered = open().pass(days(5)).add("order_undelivered", { order_id: id });
    assert.deepEqual(undelivered.refused().slice(0, 1), [`order_undelivered: ${STATE}`]);
    assert.deepEqual(
      sold()
        .add("payout", payout({ to: THIEF }), `${id}`)
        .refused(),
      [ELSEWHERE],
    );
    const part = "payout: A payout is the seller's part, and all of it.";
    const less = payout({ amount_raw: `${seller_raw - 1n}` });
    assert.deepEqual(sold().add("payout", less, `${id}`).refused(), [part]);
    const reason = "payout: A transfer that no chain has shown is recorded with a reason.";
    const unsaid = payout({ checked: 0, to: THIEF });
    assert.deepEqual(sold().add("payout", unsaid, `${id}`).refused(), [reason]);
  },
);

eachMarket("a delivery is paid once, and its end is not put off", async (market) => {
  const { id, open, released, payout, sold, seller_raw } = await sale(market);
  const set = { agent: market.seller.agent_id, address_sha256: sha256Hex(THIEF) };
  const atOnce = sold();
  atOnce.add("payout_address", { ...set, usable_from: atOnce.now }, `${set.agent}/2`);
  assert.deepEqual(atOnce.add("payout", payout({ to: THIEF }), `${id}`).refused(), [
    "payout_address: It got its place before it was made, or more than 300 seconds after.",
  ]);
  const twice = sold().add("payout", payout(), `${id}`);
  twice.add("payout_reopened", { order_id: id, amount_raw: `${seller_raw}` }, `${id}`);
  assert.deepEqual(twice.refused(), [
    "payout_reopened: No entry before it says that it has to follow.",
  ]);
  const again = sold()
    .add("payout", payout(), `${id}`)
    .add("payout", payout({ n: 2 }));
  assert.deepEqual(again.refused(), [`payout: ${STATE}`]);
  const held = sold().add("order_held", {
    order_id: id,
    n: 1,
    from_state: "delivered",
    remaining_s: 9,
    reason_sha256: "c".repeat(64),
  });
  assert.deepEqual(held.refused(), [`order_held: ${STATE}`]);
  assert.deepEqual(open().live(7).refused(), [
    "order: Its time was over, and it had to be released.",
  ]);
  const waited = released(open().live(40), "deadline");
  assert.deepEqual(waited.refused(), [
    "order_released: It was due for more than 49 hours in which the service ran.",
  ]);
  const cash = payout({
    currency: "other",
    txid: undefined,
    txid_sha256: "d".repeat(64),
    to: undefined,
    checked: 0,
    reason_sha256: "e".repeat(64),
  });
  const believed = sold().add("payout", cash, `${id}`);
  assert.deepEqual(believed.refused(), [
    "payout: A debt in XNO ends in another currency only when its creditor says so.",
  ]);
});

eachMarket("contributions are worth their amount", async (market) => {
  const honest = await historyOf(market);
  const given = (changed: Body): readonly string[] =>
    new History(honest.entries)
      .add("contribution", {
        contribution_id: 1,
        agent: market.buyer.agent_id,
        currency: "xno",
        txid: txid(),
        verification: "checked",
        amount_raw: `${10n ** 30n}`,
        amount: "1",
        proof: "send_chain",
        usd_micro: 800_000,
        rate: "0.8",
        rate_source: "static:default",
        from_sha256: sha256Hex(BUYER),
        ...changed,
      })
      .refused();
  assert.deepEqual(given({}), [], "not provable: whether the chain has it");
  const worth = "contribution: A contribution is worth its amount at the sealed rate.";
  assert.deepEqual(given({ usd_micro: 8_000_000_000_000_000 }), [worth]);
  assert.deepEqual(given({ rate: undefined, usd_micro: undefined }), [
    "contribution: A checked contribution names its rate and the hash of its sender.",
  ]);
  const source = "contribution: A contribution names its transfer once, and a rate its source.";
  assert.deepEqual(given({ txid: undefined }), [source]);
  assert.deepEqual(given({ txid_sha256: "d".repeat(64) }), [source], "two transfers");
  assert.deepEqual(given({ rate_source: undefined }), [source]);
});

/** A delivered order that its buyer disputes, and how somebody could end that in a party's name. */
async function dispute(market: Market) {
  await nameEscrow(market);
  const { id: order_id, split } = await market.delivered(await market.offer(TERMS));
  const said = { order_id, reason: "It has two findings, and three were ordered." };
  assert.equal((await market.buyer.post("/market/dispute", said)).status, 201);
  const end = ({ by, outcome, reason }: HoldEnd, changed: Body = {}): Body => ({
    order_id,
    n: 1,
    outcome,
    by,
    reason_sha256: sha256Hex(reason),
    ...changed,
  });
  return { order_id, split, end };
}

eachMarket(
  "a party ends its dispute as it may, and nobody in its name otherwise",
  async (market) => {
    const { order_id, split, end } = await dispute(market);
    const { taken_back, accepted, refunded } = AGREEMENTS;
    const honest = await historyOf(market);
    const after = (fields: Body) => new History(honest.entries).add("order_resolved", fields);
    const ended = (fields: Body) => after(fields).refused();
    const owed = (why: string) => {
      const paid = honest.entries.find(({ kind }) => kind === "order_payment");
      const to_sha256 = paid?.body["from_sha256"];
      const debt = { order_id, n: 1, amount_raw: split.due_raw, why, to_sha256 };
      return after(end(refunded)).add("refund_due", debt);
    };
    const released = (by: string) => after(end(accepted)).add("order_released", { order_id, by });
    assert.deepEqual(ended(end(taken_back)), [], "an honest one");
    assert.deepEqual(owed("seller").refused(), [], "and another");
    for (const history of [after(end(taken_back)), owed("seller")])
      assert.equal(history.words()["the operator's outcomes"], undefined);

    const party =
      "order_resolved: A buyer takes its dispute back or accepts, and a seller gives the payment back.";
    for (const [by, outcome] of [
      ["buyer", "refund"],
      ["seller", "resume"],
      ["seller", "release"],
    ])
      assert.equal(ended(end(taken_back, { by, outcome }))[0], party, `${by} ${outcome}`);
    assert.deepEqual(ended(end(taken_back, { reason_sha256: sha256Hex("I was wrong.") })), [
      "order_resolved: A party ends a dispute without words of its own.",
    ]);
    assert.deepEqual(ended(end(taken_back, { n: 2 })), [
      "order_resolved: The hold that ends is the last one.",
    ]);
    assert.deepEqual(ended(end(refunded)), ["order: refund_due has to follow and never came."]);
    assert.deepEqual(ended(end(accepted)), ["order: order_released has to follow and never came."]);
    const next = "The entry before it says that another one has to come next of its order.";
    assert.deepEqual(owed("operator").refused().slice(0, 1), [`refund_due: ${next}`]);
    assert.deepEqual(released("operator").refused().slice(0, 1), [`order_released: ${next}`]);

    const again = (n: number) =>
      after(end(taken_back)).add("order_resolved", end(taken_back, { n }));
    assert.deepEqual(again(1).refused(), ["order_resolved: There is such an entry already."]);
    assert.deepEqual(again(2).refused(), [`order_resolved: ${STATE}`]);
    await market.buyer.post("/market/accept", { order_id });
    const sold = new History((await historyOf(market)).entries);
    const late = sold.add("order_resolved", end(taken_back, { n: 2 }));
    assert.deepEqual(late.refused(), [`order_resolved: ${STATE}`], "after the release");
  },
);

eachMarket("no party ends a hold of the operator's", async (market) => {
  const { order_id, end } = await dispute(market);
  await market.buyer.post("/market/dispute/withdraw", { order_id });
  await holdOrder(market.context, { order_id, reason: "Wait." });
  const honest = await historyOf(market);
  for (const agreement of Object.values(AGREEMENTS)) {
    const forged = new History(honest.entries).add("order_resolved", end(agreement, { n: 2 }));
    assert.equal(
      forged.refused()[0],
      "order_resolved: The operator holds this order, and no dispute of its buyer: only the operator ends that, or the deadline.",
    );
  }
});

eachMarket("the end of a dispute is signed by its own party", async (market) => {
  const { order_id, end } = await dispute(market);
  const [buyers, sellers] = [newPair(), newPair()];
  await setKey(market.buyer, buyers);
  await setKey(market.seller, sellers);
  const path = "/market/dispute/withdraw";
  const signedAs = await signedBody(market.buyer, buyers, path, { order_id });
  const { act, not_after, act_signature } = signedAs;
  const honest = await historyOf(market);
  const { taken_back, accepted, refunded } = AGREEMENTS;
  const numbers = { key: 1, act, not_after };
  const ended = (agreement: HoldEnd, changed: Body) =>
    new History(honest.entries).add("order_resolved", end(agreement, changed)).refused();
  const unsigned = "You have an act key, and this act needs its signature.";
  const foreign = "The signature is not one of your key over this act.";
  assert.deepEqual(ended(taken_back, { ...numbers, act_signature }), [], "an honest one");
  assert.deepEqual(ended(taken_back, {}), [`order_resolved: ${unsigned}`]);
  assert.deepEqual(ended(refunded, {}).slice(0, 1), [`order_resolved: ${unsigned}`]);
  const buyersOwn = ended(refunded, { ...numbers, act_signature });
  assert.deepEqual(buyersOwn.slice(0, 1), [`order_resolved: ${foreign}`], "another party's");
  const other = { ...numbers, act_signature: sellers.sign("another text") };
  assert.deepEqual(ended(taken_back, other), [`order_resolved: ${foreign}`]);
  const accepting = new History(honest.entries)
    .add("order_resolved", end(accepted))
    .add("order_released", { order_id, by: "buyer" });
  assert.deepEqual(accepting.refused().slice(0, 1), [`order_released: ${unsigned}`]);
});

eachMarket("the end of a hold has an author", async (market) => {
  await nameEscrow(market);
  const { id: order_id } = await market.paid(await market.offer());
  await holdOrder(market.context, { order_id, reason: "Wait." });
  const honest = await historyOf(market);
  const ended = (by: string | undefined) => {
    const fields = { order_id, n: 1, outcome: "resume", by, reason_sha256: "e".repeat(64) };
    return new History(honest.entries).add("order_resolved", fields).refused();
  };
  assert.deepEqual(ended("operator"), []);
  assert.deepEqual(ended(undefined), [
    "order_resolved: No order_resolved has such a field, or lacks it: by.",
  ]);
});
