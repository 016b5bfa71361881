import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { statement, triggerOf } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import type { EditedRow } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { bodyText, entryText, leafOf } from "../../../platform/kernel/proof/entry.ts";
import { pack } from "../../../platform/kernel/proof/packed.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { entryByRef } from "../../../platform/ledger/entry-queries.ts";
import { entryProver } from "../../../platform/ledger/seals/entry-prover.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { recordPayment } from "../payments/received.ts";
import { listDue } from "../payouts/payables.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { orderById } from "../queries.ts";
import { marketAudit } from "./audit.ts";
import { isOrderSealed } from "./commitments.ts";

const THIEF = accountText(dev("erin").key);
const EDITED = { code: "validation_failed", message: /The order is not what was sealed/ };

/** One UPDATE, as somebody makes it who can write to the database. */
const edit = ({ context }: Market, set: string, id: number) =>
  context.write((tx) => tx.run(statement(`update market_order set ${set} where id = ${id}`), []));

const violations = ({ context }: Market) =>
  marketAudit({ ...context, yieldToRequests: async () => {} });

const EDITS: Readonly<Record<string, readonly [column: string, value: (thief: string) => string]>> =
  {
    "the account": ["escrow_address", () => `'${THIEF}'`],
    "ten times the price": ["base_raw", () => `'125${"0".repeat(30)}'`],
    "a raw of the invoice": ["due_raw", () => `'${"9".repeat(32)}'`],
    "the price": ["price_usd_micro", () => "5000000000"],
    "the rate": ["rate_e8", () => "1"],
    "the seller": ["seller", (thief) => `(select id from agent where agent_id = '${thief}')`],
    "the buyer": ["buyer", (thief) => `(select id from agent where agent_id = '${thief}')`],
  };

for (const [name, [column, value]] of Object.entries(EDITS))
  eachMarket(`an edited order shows no invoice and is not paid: ${name}`, async (market) => {
    const { context, seller, buyer } = market;
    const thief = await market.register("erin");
    const offer_id = await market.offer();
    for (const agent of [seller, thief])
      await agent.post("/market/payout-address", { address: THIEF });
    const [released, owing] = [await market.delivered(offer_id), await market.paid(offer_id)];
    await buyer.post("/market/accept", { order_id: released.id });
    const held = { order_id: owing.id, reason: "A trial." };
    await holdOrder(context, held);
    await resolveOrder(context, { ...held, outcome: "refund" });
    market.pass(DAY_S + 1);
    await market.watch();
    const open = await market.order(offer_id);
    await market.sequenced();
    assert.deepEqual(await violations(market), []);
    const before = (await market.seen(buyer, open.id)).invoice;
    assert.ok(before);

    const ids = [open.id, released.id, owing.id];
    const undo: (() => Promise<unknown>)[] = [];
    for (const id of ids) {
      const sql = `select ${column} as was from market_order where id = ${id}`;
      const [row] = await context.read.all(statement(sql), []);
      const { was } = Object(row);
      undo.push(() =>
        edit(market, `${column} = ${typeof was === "string" ? `'${was}'` : was}`, id),
      );
      await edit(market, `${column} = ${value(thief.agent_id)}`, id);
    }
    const reader = name === "the buyer" ? thief : buyer;
    const seen = await market.seen(reader, open.id);
    assert.deepEqual([seen.invoice, seen.edited], [undefined, true]);
    const { payouts, refunds } = await listDue(context, 10);
    assert.deepEqual(
      payouts.map(({ address, blocked }) => [address, blocked]),
      [[null, "order_edited"]],
    );
    assert.deepEqual(
      refunds.map(({ to, edited }) => [to, edited]),
      [[null, true]],
    );
    const said = { currency: "other", txid: "notes", reason: "A trial." } as const;
    const sent = { ...said, currency: "xno", txid: "AB".repeat(32), proof: "unchecked" } as const;
    await assert.rejects(recordPayout(context, { ...sent, order_id: released.id }), EDITED);
    await assert.rejects(recordRefund(context, { ...sent, order_id: owing.id }), EDITED);
    await assert.rejects(recordPayment(context, { ...said, order_id: open.id }), EDITED);
    const found = (await violations(market)).map(({ order_id }) => order_id);
    assert.deepEqual([...new Set(found)].toSorted(), ids.toSorted());

    for (const back of undo) await back();
    assert.deepEqual(await violations(market), []);
    assert.deepEqual((await market.seen(buyer, open.id)).invoice, before);
  });

/** What an UPDATE of one column brings forward, and the state of the order by then. */
const DEADLINES = {
  "the end of a hold": { column: "held_until", state: "held", hold: true },
  "the time to accept": { column: "accept_by", state: "delivered", hold: false },
} as const;

for (const [name, { column, state, hold }] of Object.entries(DEADLINES))
  eachMarket(`an edited deadline ends nothing, and is told at once: ${name}`, async (market) => {
    const { context, buyer } = market;
    const { id } = await market.delivered(await market.offer());
    await holdOrder(context, { order_id: id, reason: "A trial." });
    const outcome = { order_id: id, reason: "It goes on.", outcome: "resume" } as const;
    if (!hold) await resolveOrder(context, outcome);
    await market.sequenced();
    assert.deepEqual(
      await violations(market),
      [],
      "deadlines after a hold follow from its entries",
    );
    const told: EditedRow[] = [];
    const looking = { ...context, edited: (row: EditedRow) => void told.push(row) };

    const query = statement(`select ${column} as was from market_order where id = ${id}`);
    const { was } = Object((await context.read.all(query, []))[0]);
    await edit(market, `${column} = 1`, id);
    assert.equal(await settleDueOrders(looking, 10), 0);
    assert.deepEqual(told, [{ order_id: id }]);
    const seen = await market.seen(buyer, id);
    assert.deepEqual([seen.state, seen.edited], [state, true]);
    assert.deepEqual(await violations(market), [{ invariant: "I16", order_id: id }]);
    await edit(market, `${column} = ${context.clock.now() - 1}`, id);
    assert.equal(await settleDueOrders(looking, 10), 0, "nor a moment ago");
    await edit(market, `${column} = ${was}`, id);
  });

/** Changes the account of an order's invoice in its entry, its leaf and its row together; resolves to what takes it back. */
async function forgeInvoice(market: Market, id: number): Promise<() => Promise<void>> {
  const { context, engine } = market;
  const entry = await entryByRef.first(context.read, { kind: "order", ref: `${id}` });
  assert.ok(entry);
  const { ledger_id, at, kind, ref } = entry;
  const own = JSON.parse(entry.body);
  const blob = (bytes: Uint8Array) =>
    engine === "sqlite" ? `x'${bytes.toHex()}'` : `'\\x${bytes.toHex()}'::bytea`;
  const [off, on] =
    engine === "sqlite"
      ? [`drop trigger ${UNCHANGED}`, await triggerOf(market, UNCHANGED)]
      : [
          "alter table ledger_entry disable trigger user",
          "alter table ledger_entry enable trigger user",
        ];
  const write = async (escrow: string) => {
    const body = { ...own, escrow };
    const text = entryText({ id: ledger_id, at, kind, ref, body: bodyText(body) });
    const set = `body = ${blob(pack(body).bytes)}, leaf = ${blob(leafOf(Buffer.from(text), sha256))}`;
    for (const sql of [off, `update ledger_entry set ${set} where ledger_id = ${ledger_id}`, on])
      await context.write((tx) => tx.run(statement(sql), []));
    await edit(market, `escrow_address = '${escrow}'`, id);
  };
  await write(THIEF);
  return () => write(own.escrow);
}

/** A prover that remembers nothing yet. */
const proverOf = ({ context, service }: Market) => entryProver(service.signer, context.clock);

const UNCHANGED = "ledger_entry_never_changes";

eachMarket("an entry that was changed with its row is known by its seal", async (market) => {
  const { context, buyer } = market;
  const { id, invoice } = await market.order(await market.offer());
  await market.sequenced();
  const undo = await forgeInvoice(market, id);
  assert.equal((await market.seen(buyer, id)).invoice.address, THIEF, "nothing is signed yet");
  await undo();
  await market.seal();
  assert.deepEqual((await market.seen(buyer, id)).invoice, invoice);
  const back = await forgeInvoice(market, id);
  const seen = await market.seen(buyer, id);
  assert.deepEqual([seen.invoice, seen.edited], [undefined, true]);
  assert.deepEqual(await violations(market), [{ invariant: "I16", order_id: id }]);
  const fresh = proverOf(market);
  const read = () => entryByRef.first(context.read, { kind: "order", ref: `${id}` });
  const forged = await read();
  assert.ok(forged && !(await fresh(context.read, [forged])));
  await back();
  assert.deepEqual((await market.seen(buyer, id)).invoice, invoice);
  const entry = await read();
  assert.ok(entry && (await proverOf(market)(context.read, [entry])));
});

eachMarket("a look that began before a seal was signed finds no edit", async (market) => {
  const offer_id = await market.offer();
  const [first, second] = [await market.order(offer_id), await market.order(offer_id)];
  await market.sequenced();
  await market.seal();
  let later_s = 0;
  const clock = { ...market.context.clock, now: () => market.context.clock.now() + later_s };
  const context = { ...market.context, isProven: entryProver(market.service.signer, clock) };
  const isSealed =
    ({ id }: { id: number }) =>
    (read: Db) =>
      isOrderSealed(context, read, id);
  assert.equal(await context.snapshot(isSealed(first)), true);
  await market.offer();
  await market.sequenced();
  await context.snapshot(async (read) => {
    await orderById.first(read, { id: second.id }); // The snapshot stands from here on.
    await market.seal();
    later_s = 60;
    assert.equal(await isSealed(second)(read), false, "the seal stays away");
    later_s = 0;
    assert.equal(await isSealed(second)(read), true);
  });
  assert.equal(await context.snapshot(isSealed(second)), true);
});

eachMarket("a release that no entry tells of is not paid", async (market) => {
  const { context, seller } = market;
  await seller.post("/market/payout-address", { address: THIEF });
  const { id } = await market.delivered(await market.offer());
  market.pass(DAY_S + 1);
  await market.watch();
  await market.sequenced();
  await edit(market, "state = 'released'", id);
  const { payouts } = await listDue(context, 10);
  assert.deepEqual(
    payouts.map(({ address, blocked }) => [address, blocked]),
    [[null, "order_edited"]],
  );
  const sent = { order_id: id, currency: "xno", txid: "AB".repeat(32), proof: "checked" } as const;
  await assert.rejects(recordPayout(context, sent), EDITED);
  await edit(market, "state = 'delivered'", id);
  assert.deepEqual(await violations(market), []);
});
