import assert from "node:assert/strict";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { operate, refuses } from "../../../../test/operator.ts";
import { times } from "../../../../test/postgres-store.ts";
import { statement } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import { isoOf } from "../../../platform/kernel/iso-time.ts";
import { HOUR_S } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { PAYMENT_MIN_RAW } from "../amounts.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { listDue } from "./payables.ts";
import { recordRefund } from "./refunds.ts";

const account = (name: string) => accountText(dev(name).key);
const reason = "The node was away.";
/** 1 XNO, and a sum that is dust. */
const [XNO, DUST] = [10n ** 30n, 5n * 10n ** 27n];

/** An order that has expired and owes what came late: the first debt is `late`, further ones are `extra`. */
async function expired(market: Market, ...late: readonly (readonly [string, bigint])[]) {
  const { id } = await market.order(await market.offer());
  market.pass(2 * HOUR_S);
  await market.watch();
  assert.equal((await market.seen(market.buyer, id)).state, "expired");
  for (const [from, amount_raw] of late) await market.book(id, amount_raw, account(from));
  return id as number;
}

/** A paid order that is to be refunded; its debts are the amounts to these accounts. */
async function refunding(market: Market, ...paid: readonly (readonly [string, bigint])[]) {
  const { id, split } = await market.order(await market.offer());
  const rest = BigInt(split.due_raw) - paid.reduce((sum, [, amount]) => sum + amount, 0n);
  for (const [from, amount_raw] of paid) await market.book(id, amount_raw, account(from));
  await market.book(id, rest, account("bob"));
  await holdOrder(market.context, { order_id: id, reason });
  await resolveOrder(market.context, { order_id: id, outcome: "refund", reason });
  return { id: id as number, rest };
}

/** Sends from the escrow account, which has enough; the hash. */
function sendTo(market: Market, name: string, amount_raw: bigint): string {
  market.send(20n * XNO);
  return market.payers.chain.wallet.send(dev("escrow"), dev(name).key, amount_raw).hash;
}

const record = ({ context }: Market, order_id: number, txid: string, fields: object = {}) =>
  recordRefund(context, { order_id, currency: "xno", txid, proof: "checked", ...fields });

const refused = { code: "validation_failed" };

async function refundEntries(market: Market, kind = "refund") {
  await market.sequenced();
  const entries = (await readLedger(market)).filter((entry) => entry.kind === kind);
  return entries.map(({ ref, body: { debts, amount_raw, ends } }) => [
    ref,
    debts,
    BigInt(amount_raw ?? 0),
    ends,
  ]);
}

const linesOf = async ({ context }: Market) =>
  (await listDue(context, 10)).refunds.map(({ to, debts, why, amount_raw }) => [
    to,
    debts,
    why,
    BigInt(amount_raw),
  ]);

eachMarket("the amount says which of an account's debts a transfer pays", async (market) => {
  const [one, two, four] = [XNO, 2n * XNO, 4n * XNO];
  const id = await expired(market, ["carol", one], ["erin", two], ["carol", two], ["carol", four]);
  assert.deepEqual(await linesOf(market), [
    [account("carol"), "1,3,4", "late, extra", one + two + four],
    [account("erin"), "2", "extra", two],
  ]);
  for (const amount of [two, one + four, one + two + four + 1n])
    await assert.rejects(record(market, id, sendTo(market, "carol", amount)), refused, `${amount}`);
  await assert.rejects(record(market, id, sendTo(market, "erin", one + two)), refused, "not hers");
  const oldest = sendTo(market, "carol", one + two);
  await market.book(id, one, account("carol")); // A debt that appears meanwhile changes nothing.
  await record(market, id, oldest, { n: 4 });
  assert.deepEqual(await linesOf(market), [
    [account("erin"), "2", "extra", two],
    [account("carol"), "4,5", "extra", four + one],
  ]);
  await record(market, id, sendTo(market, "carol", one), { n: 5 });
  await assert.rejects(record(market, id, oldest, { n: 4 }), refused);
  await record(market, id, sendTo(market, "erin", two));
  assert.deepEqual(await refundEntries(market), [
    [`${id}/1`, "1,3", one + two, 1],
    [`${id}/5`, undefined, one, undefined],
    [`${id}/2`, undefined, two, undefined],
  ]);
  const { state, refunds } = await market.seen(market.buyer, id);
  assert.equal(state, "refunded");
  const shown = refunds.map(({ state, txid }: { state: string; txid: string }) => [state, txid]);
  assert.deepEqual(
    [shown[0], shown[2], shown[3]],
    [
      ["sent", oldest],
      ["sent", oldest],
      ["due", null],
    ],
  );
});

eachMarket("300 dust payments of one account are one line and one transfer", async (market) => {
  const dust = times(300, () => ["carol", PAYMENT_MIN_RAW] as const);
  const id = await expired(market, ...dust);
  const service = { ...market.service, context: market.context };
  const due = await operate(service, "market due");
  assert.equal(due.text.split("\n").length, 1, due.text);
  assert.match(due.text, /^refund {2}order \d+, debts 1,2,3,.*,300 \(late, extra\): /);
  const txid = sendTo(market, "carol", 300n * PAYMENT_MIN_RAW);
  const done = await operate(service, "market refund", String(id), "--txid", txid);
  assert.equal(done.facts["state"], "refunded");
  assert.equal((await operate(service, "market due")).text, "Nothing is owed.");
  const view = (await market.buyer.get(`/market/order?id=${id}`)).body;
  assert.ok(Buffer.byteLength(JSON.stringify(view)) < 160 * 1_024);
});

eachMarket("dust keeps no order open, and is owed all the same", async (market) => {
  const { id, rest } = await refunding(market, ["carol", DUST], ["erin", DUST]);
  await record(market, id, sendTo(market, "carol", DUST));
  assert.equal((await market.seen(market.buyer, id)).state, "refund_due", "bob's is more");
  await record(market, id, sendTo(market, "bob", rest), { n: 3 });
  assert.equal((await market.seen(market.buyer, id)).state, "refunded");
  assert.deepEqual(await linesOf(market), [[account("erin"), "2", "operator", DUST]]);
  await record(market, id, sendTo(market, "erin", DUST));
  assert.deepEqual(
    (await refundEntries(market)).map(([, , , ends]) => ends),
    [undefined, 1, undefined],
  );
});

eachMarket("0.01 XNO of one account is no dust, in however many debts", async (market) => {
  const { id, rest } = await refunding(market, ["carol", 2n * DUST], ["erin", 2n * DUST - 1n]);
  await record(market, id, sendTo(market, "bob", rest), { n: 3 });
  assert.equal((await market.seen(market.buyer, id)).state, "refund_due");
  await record(market, id, sendTo(market, "carol", 2n * DUST), { n: 1 });
  assert.equal((await market.seen(market.buyer, id)).state, "refunded");
});

eachMarket("an order that owes nothing but dust waits for one refund", async (market) => {
  const id = await expired(market, ["carol", DUST], ["erin", DUST]);
  assert.equal((await market.seen(market.buyer, id)).state, "refund_due");
  await record(market, id, sendTo(market, "erin", DUST), { n: 2 });
  assert.equal((await market.seen(market.buyer, id)).state, "refunded");
});

eachMarket("a line that waits longer than the operator means to says so", async (market) => {
  const id = await expired(market, ["carol", XNO]);
  const service = { ...market.service, context: market.context };
  const reported = async () => (await operate(service, "market due")).text;
  const since = market.context.clock.now();
  market.pass(72 * HOUR_S);
  await market.book(id, XNO, account("carol"));
  assert.doesNotMatch(await reported(), /overdue/);
  market.pass(1);
  const time = isoOf(since);
  assert.ok((await reported()).endsWith(`${account("carol")}; overdue, owed since ${time}`));
});

eachMarket("where no node tells the amount, the operator does", async (market) => {
  const [one, two] = [XNO, 2n * XNO];
  const id = await expired(market, ["carol", one], ["carol", two], ["carol", two]);
  const wrong = sendTo(market, "erin", one + two);
  market.payers.spoil(FAULTS.brokenProxy);
  const word = { proof: "unchecked", reason };
  await assert.rejects(record(market, id, wrong, word), refused);
  const amount_raw = String(one + two);
  await assert.rejects(record(market, id, wrong, { ...word, amount_raw: `${two}` }), refused);
  await record(market, id, wrong, { ...word, amount_raw });
  market.payers.spoil(honest);
  market.payers.pass(HOUR_S * 1_000);
  market.pass(HOUR_S);
  assert.deepEqual(await market.recheck(), [`refund/${id}/1`]);
  assert.deepEqual(await refundEntries(market, "refund_reopened"), [
    [`${id}/1`, "1,2", one + two, undefined],
  ]);
  assert.deepEqual(await linesOf(market), [
    [account("carol"), "3,4,5", "extra, late", two + one + two],
  ]);
  await record(market, id, sendTo(market, "carol", two + one + two));
  assert.equal((await market.seen(market.buyer, id)).state, "refunded");
});

eachMarket("market due marks what of a line was sent, and what fits none", async (market) => {
  const [one, two, four] = [XNO, 2n * XNO, 4n * XNO];
  const id = await expired(market, ["carol", one], ["carol", two], ["carol", four]);
  const odd = sendTo(market, "carol", 3n * XNO + 1n);
  const first = sendTo(market, "carol", one + two);
  const service = { ...market.service, context: market.context };
  const command = (n: number, txid: string) => `market refund ${id} --n ${n} --txid ${txid}`;
  const due = async (...more: string[]) =>
    (await operate(service, "market due", ...more)).text.split("\n").map((line) => line.trim());
  assert.deepEqual((await due()).slice(1), [
    `already sent: ${first} for debts 1,2; record it with cairn ${command(1, first)}`,
    `left to send: ${four} raw (4 XNO)`,
    `sent there, and no sum of its oldest debts: ${3n * XNO + 1n} raw (3.000000000000000000000000000001 XNO), ${odd}`,
  ]);
  const second = sendTo(market, "carol", four);
  assert.equal(
    (await due())[2],
    `already sent: ${second}; record it with cairn ${command(3, second)}`,
  );
  assert.deepEqual((await due("--record")).slice(0, 2), [
    `recorded: ${command(1, first)}`,
    `recorded: ${command(3, second)}`,
  ]);
  await refuses(service, ["market refund", `${id}`, "--txid", odd], /no such open debt/);
});

eachMarket("a refund that goes elsewhere needs a reason, and says so", async (market) => {
  const { id, rest } = await refunding(market);
  const txid = sendTo(market, "erin", rest);
  await assert.rejects(record(market, id, txid), refused, "it is owed to Bob");
  const elsewhere = { to: account("erin") };
  await assert.rejects(record(market, id, txid, elsewhere), refused);
  await record(market, id, txid, { ...elsewhere, reason: "Bob has lost his keys." });
  await market.sequenced();
  const refund = (await readLedger(market)).find(({ kind }) => kind === "refund");
  assert.deepEqual([refund?.body["to"], refund?.body["redirected"]], [account("erin"), 1]);
});

eachMarket("refunds of an order go to the account that its buyer named with it", async (market) => {
  const refund_address = account("carol");
  const offer = await market.offer();
  for (const [wrong, problem] of [
    ["nano_someone", /checksum/],
    [account("escrow"), /of this network/],
    ["nano_1111111111111111111111111111111111111111111111111111hifc8npp", /burn/],
  ] as const) {
    const { status, body } = await market.buyer.post("/market/order", {
      offer_id: offer,
      refund_address: wrong,
    });
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), problem);
  }
  const { id, split, invoice } = await market.order(offer, { refund_address });
  assert.equal(invoice.refund_address, refund_address);
  const due_raw = BigInt(split.due_raw);
  const part = 3n * XNO;
  await market.book(id, part, account("bob"));
  await market.book(id, due_raw - part, account("erin"));
  await market.book(id, due_raw, account("erin")); // Paid twice: the digits name the order.
  await market.book(id, XNO, account("dave")); // By somebody who means something else.
  await holdOrder(market.context, { order_id: id, reason });
  await resolveOrder(market.context, { order_id: id, outcome: "refund", reason });
  const lines = await linesOf(market);
  assert.deepEqual(lines, [
    [refund_address, "1,3", "extra, operator", 2n * due_raw],
    [account("dave"), "2", "extra", XNO],
  ]);
  market.send(6n * due_raw);
  await assert.rejects(record(market, id, sendTo(market, "erin", 2n * due_raw)), refused);
  await record(market, id, sendTo(market, "carol", 2n * due_raw));
  assert.equal((await market.seen(market.buyer, id)).state, "refunded");
  await market.sequenced();
  const [order, refund] = ["order", "refund"].map(async (kind) =>
    (await readLedger(market)).find((entry) => entry.kind === kind),
  );
  assert.equal((await order)?.body["refund_address_sha256"], sha256Hex(refund_address));
  assert.equal((await refund)?.body["redirected"], undefined);
  assert.equal((await market.seen(market.seller, id)).invoice, undefined);
});

eachMarket("a refund address that somebody edits stops its order", async (market) => {
  const { id, split } = await market.order(await market.offer(), {
    refund_address: account("carol"),
  });
  await market.book(id, split.due_raw, account("bob"));
  await market.sequenced();
  const edit = statement(`update market_order set refund_address = '${account("erin")}'`);
  const back = statement(`update market_order set refund_address = '${account("carol")}'`);
  await market.context.write((tx) => tx.run(edit, []));
  assert.equal((await market.seen(market.buyer, id)).edited, true);
  market.pass(1_000 * HOUR_S);
  await settleDueOrders(market.context, 10);
  assert.equal((await market.seen(market.buyer, id)).state, "paid", "its clock stands");
  await market.context.write((tx) => tx.run(back, []));
  await settleDueOrders(market.context, 10);
  const { edited, refunds } = await market.seen(market.buyer, id);
  assert.deepEqual([edited, refunds[0].to], [undefined, account("carol")]);
});
