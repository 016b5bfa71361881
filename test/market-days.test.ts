import assert from "node:assert/strict";
import { UNIT_RAW } from "../src/domains/market/amounts.ts";
import { holdOrder, resolveOrder } from "../src/domains/market/orders/operator.ts";
import { settleDueOrders } from "../src/domains/market/orders/timers.ts";
import { watchPayments } from "../src/domains/market/payments/payment-watcher.ts";
import { recordPayment } from "../src/domains/market/payments/received.ts";
import type { Handled } from "../src/domains/market/payments/scan.ts";
import { listDue } from "../src/domains/market/payouts/payables.ts";
import { recheckSends } from "../src/domains/market/payouts/rechecks.ts";
import { returnUnmatched } from "../src/domains/market/payouts/returns.ts";
import { recordPayout, recordSent } from "../src/domains/market/payouts/settlements.ts";
import { OUTCOMES } from "../src/domains/market/rules.ts";
import { accountKey, accountText } from "../src/platform/chain/account.ts";
import { honest } from "../src/platform/chain/dev/node.ts";
import type { ServiceContext } from "../src/platform/context.ts";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import type { PublicKey } from "../src/platform/kernel/nano.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../src/platform/kernel/time.ts";
import { dev } from "./chain-service.ts";
import { Crash, crashing, momentOf } from "./crashing.ts";
import { dice } from "./dice.ts";
import { readLedger } from "./invariants.ts";
import { forgetful, heads, lists } from "./lying-nodes.ts";
import { eachMarket, type Market } from "./market-service.ts";

/** Lives of one market, and the days of each; 400 of 25 days in the long run. */
const LIVES = Number(process.env["TEST_LIVES"] ?? 1);
const DAYS = Number(process.env["TEST_DAYS"] ?? 20);
const ACTS_A_DAY = 8;
const REASON = "The dice said so.";
const SENDERS = ["alice", "bob", "carol"];

/** One market on a real dev chain of three nodes, one of which lies as it likes. */
interface Life {
  readonly market: Market;
  readonly roll: (sides: number) => number;
  readonly offer_id: number;
  readonly orders: { readonly id: number; readonly due_raw: bigint }[];
  /** All that was ever sent to the escrow account. */
  paid_raw: bigint;
  /** What a process remembers, until it is killed. */
  handled: Handled;
}

/** The context of a process that may die in its next write. */
const mortal = ({ market, roll }: Life): ServiceContext => crashing(market.context, momentOf(roll));

/** The hash of a transfer; null where the account has not so much. */
function send({ market }: Life, from: string, to: PublicKey, amount_raw: bigint): string | null {
  try {
    return market.payers.chain.wallet.send(dev(from), to, amount_raw).hash;
  } catch {
    return null;
  }
}

function pay(life: Life, amount_raw: bigint): void {
  const from = oneOf(life, SENDERS) ?? "";
  if (send(life, from, dev("escrow").key, amount_raw) !== null) life.paid_raw += amount_raw;
}

const oneOf = <T>({ roll }: Life, list: readonly T[]): T | undefined => list[roll(list.length)];

/** What payers do, right or wrong. */
const SLIPS: readonly ((due: bigint) => readonly bigint[])[] = [
  (due) => [due],
  (due) => [due],
  (due) => [due],
  (due) => [due - 1n],
  (due) => [due + UNIT_RAW],
  (due) => [due / 2n, due - due / 2n],
  (due) => [due, due],
  (due) => [2n * due],
  (due) => [due - (due % UNIT_RAW)],
];

/** An order, of which nobody has paid anything; null where the market takes none now. */
async function place(life: Life): Promise<Life["orders"][number] | null> {
  await tolerant(watchAndSettle(life));
  const { market, orders, offer_id } = life;
  const { status, body } = await market.buyer.post("/market/order", { offer_id });
  if (status !== 201) return null;
  const order = { id: body.order.id, due_raw: BigInt(body.order.invoice.due_raw) };
  orders.push(order);
  return order;
}

/** Sends what is owed from the escrow account; a careless operator sends some of it twice, or to nobody. */
async function payOut(life: Life): Promise<void> {
  const { market, roll } = life;
  market.payers.chain.wallet.receive(dev("escrow"));
  const due = await listDue(market.context, 5);
  const lines = [
    ...due.payouts.map(({ address: to, amount_raw }) => ({ to, amount_raw })),
    ...due.refunds.map(({ to, amount_raw }) => ({ to, amount_raw })),
  ];
  for (const { to, amount_raw } of lines) {
    const key = to === null ? null : accountKey(to);
    if (key === null || roll(3) === 0) continue;
    send(life, "escrow", key, BigInt(amount_raw));
    if (roll(10) === 0) send(life, "escrow", key, UNIT_RAW);
  }
  await recordSent(mortal(life), 20);
}

const ACTS: readonly ((life: Life) => Promise<unknown>)[] = [
  place,
  place,
  async (life) => {
    const slip = oneOf(life, SLIPS);
    const order = (await place(life)) ?? oneOf(life, life.orders.slice(-5));
    for (const amount_raw of (order && slip?.(order.due_raw)) ?? []) pay(life, amount_raw);
    await watchAndSettle(life);
  },
  async (life) => {
    const order = await place(life);
    if (order === null) return;
    pay(life, order.due_raw);
    await watchAndSettle(life);
    await life.market.seller.post("/market/deliver", { order_id: order.id, body: "Here it is." });
  },
  async (life) => {
    const order = oneOf(life, life.orders.slice(-5));
    if (order) pay(life, order.due_raw);
  },
  (life) => watchAndSettle(life),
  ({ market, orders, ...life }) =>
    market.seller.post("/market/deliver", {
      order_id: oneOf({ market, orders, ...life }, orders.slice(-8))?.id,
      body: "Here it is.",
    }),
  async (life) => {
    const order_id = oneOf(life, life.orders.slice(-8))?.id;
    const accept = "/market/accept";
    const withdraw = ["/market/dispute/withdraw", "/market/order/withdraw"];
    const act =
      oneOf(life, [accept, accept, "/market/dispute", "/market/refund", ...withdraw]) ?? "";
    const who = act === "/market/refund" ? life.market.seller : life.market.buyer;
    await who.post(act, { order_id, ...(act.endsWith("dispute") && { reason: REASON }) });
  },
  async (life) => {
    const order_id = oneOf(life, life.orders)?.id ?? 0;
    const outcome = oneOf(life, OUTCOMES) ?? "resume";
    if (life.roll(2) === 0) await holdOrder(mortal(life), { order_id, reason: REASON });
    else await resolveOrder(mortal(life), { order_id, outcome, reason: REASON });
  },
  payOut,
  payOut,
  async (life) => {
    const order_id = oneOf(life, life.orders)?.id ?? 0;
    const txid = life
      .roll(2 ** 31)
      .toString(16)
      .padStart(64, "A")
      .toUpperCase();
    const said = { order_id, currency: "xno", txid, proof: "unchecked", reason: REASON } as const;
    await recordPayout({ ...mortal(life), chain: null }, said);
  },
  async (life) => {
    const [payment] = (await listDue(life.market.context, 1)).unmatched;
    const order_id = oneOf(life, life.orders)?.id ?? 0;
    if (payment === undefined) return;
    const { txid, from, amount_raw } = payment;
    if (life.roll(2) === 0)
      return recordPayment(mortal(life), { order_id, currency: "xno", txid, reason: REASON });
    const key = accountKey(from);
    assert.ok(key);
    const sent = send(life, "escrow", key, BigInt(amount_raw));
    if (sent !== null) await returnUnmatched(mortal(life), { payment: txid, txid: sent });
  },
  async ({ market, roll }) => {
    const faults = [honest, honest, lists(`1${"0".repeat(30)}`), lists(null), heads];
    const fault = faults[roll(faults.length)] ?? honest;
    market.payers.spoil(roll(2) === 0 ? forgetful(fault) : fault, 1);
  },
];

/** A look at the chain, and what the clock ends; the process may be a new one that remembers nothing. */
async function watchAndSettle(life: Life): Promise<void> {
  const { market, roll } = life;
  if (roll(5) === 0) life.handled = new Map();
  market.pass(1);
  market.payers.pass(MINUTE_S * 1_000);
  await watchPayments(mortal(life), life.handled);
  await settleDueOrders(mortal(life), 20);
  await recheckSends({ ...mortal(life), chain: market.payers.adapter }, 10, () => {});
}

const tolerant = async (act: Promise<unknown>): Promise<void> => {
  await act.catch((error: unknown) => {
    if (!(error instanceof Rejection || error instanceof Crash)) throw error;
  });
};

async function liveDay(life: Life): Promise<void> {
  const { market, roll } = life;
  for (let n = 0; n < ACTS_A_DAY; n++) {
    const act = oneOf(life, ACTS);
    assert.ok(act);
    await tolerant(act(life));
    if (roll(3) === 0) await tolerant(watchAndSettle(life));
    market.pass(roll(3) === 0 ? roll(16) * HOUR_S : roll(20) * MINUTE_S);
  }
}

/** All that came is booked, owed or sealed as unmatched, once the nodes are honest again. */
async function checkReceipts(life: Life): Promise<void> {
  const { market } = life;
  market.payers.spoil(honest);
  market.payers.pass(2 * DAY_S * 1_000);
  for (let round = 0; round < 4; round++) {
    market.pass(HOUR_S);
    await watchPayments(market.context, new Map());
  }
  await market.sequenced();
  const came = (await readLedger(market)).flatMap(({ kind, body }) => {
    const isPayment = kind === "order_payment" && body["unmatched"] === undefined;
    return isPayment || kind === "payment_unmatched" ? [BigInt(`${body["amount_raw"]}`)] : [];
  });
  assert.equal(
    came.reduce((sum, each) => sum + each, 0n),
    life.paid_raw,
    "every raw is told of",
  );
}

for (let n = 1; n <= LIVES; n++)
  eachMarket(
    `a liar, slips, kills and a careless operator lose no raw: life ${n}`,
    async (market) => {
      const address = accountText(dev("dave").key);
      await market.seller.post("/market/payout-address", { address });
      const life: Life = {
        market,
        roll: dice(`days ${n}`),
        offer_id: await market.offer(),
        orders: [],
        paid_raw: 0n,
        handled: new Map(),
      };
      for (let day = 0; day < DAYS; day++) await liveDay(life);
      await checkReceipts(life);
    },
    {},
    { quorum: 2, nodes: 3 },
  );
