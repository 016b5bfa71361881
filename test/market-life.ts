import assert from "node:assert/strict";
import { agentById } from "../src/domains/identity/queries.ts";
import { booksOf } from "../src/domains/market/accounts/queries.ts";
import { UNIT_RAW } from "../src/domains/market/amounts.ts";
import { publishOffer } from "../src/domains/market/offers/offers.ts";
import { findOrder, holdOrder, resolveOrder } from "../src/domains/market/orders/operator.ts";
import { placeOrder } from "../src/domains/market/orders/orders.ts";
import {
  acceptDelivery,
  deliverContent,
  disputeDelivery,
  refundDisputed,
  withdrawDispute,
  withdrawUnpaid,
} from "../src/domains/market/orders/parties.ts";
import { setPayoutAddress } from "../src/domains/market/orders/payout-address.ts";
import { settleDueOrders } from "../src/domains/market/orders/timers.ts";
import { receive } from "../src/domains/market/payments/payments.ts";
import { beginWatch, completeScan } from "../src/domains/market/payments/queries.ts";
import { debtLines, settlingAmounts } from "../src/domains/market/payouts/debt-lines.ts";
import { recordRefund } from "../src/domains/market/payouts/refunds.ts";
import { recordPayout } from "../src/domains/market/payouts/settlements.ts";
import { lockOrder, orderById, paymentsOf } from "../src/domains/market/queries.ts";
import { OUTCOMES, type State } from "../src/domains/market/rules.ts";
import { accountText } from "../src/platform/chain/account.ts";
import type { Agent, ServiceContext } from "../src/platform/context.ts";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import { micro } from "../src/platform/kernel/money.ts";
import { publicKeyOf } from "../src/platform/kernel/nano.ts";
import { DAY_S, HOUR_S } from "../src/platform/kernel/time.ts";
import { type ChainService, dev, openChainService } from "./chain-service.ts";
import { Crash, crashing, momentOf } from "./crashing.ts";
import { dice } from "./dice.ts";
import { checkInvariants } from "./invariants.ts";
import { OFFER } from "./market-service.ts";
import { openTestService, seededRandom, type TestService } from "./service.ts";
import { blaming, simulates } from "./simulation.ts";

const STEPS = 500;
const ORDERS_MAX = 8;
const REASON = "The dice said so.";
const SENDERS = ["alice", "bob", "carol"].map((name) => accountText(dev(name).key));

/** A payment for an order, as it stands on the chain. */
interface Transfer {
  readonly order_id: number;
  readonly txid: string;
  readonly amount_raw: bigint;
  readonly from: string | null;
}

/** One seed: two agents and an escrow account in a service of their own. */
interface Run {
  readonly seed: string;
  readonly roll: (sides: number) => number;
  readonly context: ServiceContext;
  readonly seller: Agent;
  readonly buyer: Agent;
  readonly offer_id: number;
  readonly orders: { id: number; state: State }[];
  /** Payments on the chain, seen or not yet; each may be seen again. */
  readonly transfers: Transfer[];
  txid(): string;
  pass(seconds: number): Promise<void>;
}

async function begin(
  seed: string,
  service: TestService,
  chain: ChainService["adapter"],
): Promise<Run> {
  const random = seededRandom(`market ${seed}`);
  const escrowKey = publicKeyOf(random(32).toHex());
  assert.ok(escrowKey);
  const bare = service.service.context;
  const settings = { ...bare.settings, escrowKey, projectKey: dev("project").key };
  const context = { ...bare, chain, settings, random };
  const [seller, buyer] = await Promise.all([agentOf(service), agentOf(service)]);
  const account = accountText(escrowKey);
  await context.write((tx) => beginWatch.run(tx, { account }));
  let sent = 0;
  const run: Run = {
    seed,
    roll: dice(seed),
    context,
    seller,
    buyer,
    orders: [],
    transfers: [],
    offer_id: (await publishOffer(context, seller, { ...OFFER, ...PRICE })).id,
    txid: () => `${random(28).toHex()}${String(++sent).padStart(8, "0")}`.toUpperCase(),
    async pass(seconds) {
      // The job is never two days late. An order that became due meanwhile waits for it, or for somebody's act.
      await settleDueOrders(context, ORDERS_MAX);
      for (const order of run.orders) await check(run, order);
      service.pass(seconds);
      const scanned_at = context.clock.now();
      const scan = { account, scanned_at, ahead: scanned_at, frontier: null, unreceived: 0 };
      await context.write((tx) => completeScan.run(tx, scan));
    },
  };
  await setPayoutAddress(context, seller, accountText(dev("dave").key));
  await run.pass(DAY_S);
  return run;
}

const PRICE = { price_usd: micro<"usd">(10_000_000), sla_hours: 24 };

async function agentOf(service: TestService): Promise<Agent> {
  const { agent_id } = await service.register();
  const row = await agentById.first(service.service.context.read, { agent_id });
  assert.ok(row);
  return row;
}

/** The acts on an order; the dice choose, wise or not. */
const ACTS: readonly ((run: Run, order_id: number) => Promise<unknown>)[] = [
  (run, id) => pay(run, id, (due) => due).then((sent) => see(run, sent)),
  (run, id) => pay(run, id, (due) => due).then((sent) => see(run, sent)),
  (run, id) =>
    pay(run, id, (due) => thirdOf(due) + (due % UNIT_RAW)).then((sent) => see(run, sent)),
  (run, id) => pay(run, id, (due) => due + UNIT_RAW * BigInt(run.roll(3))),
  (run, id) => seeAny(run, id),
  (run, id) => seeAny(run, id),
  (run, order_id) => deliverContent(as(run, run.seller), { order_id, body: `Take ${order_id}.` }),
  (run, order_id) => deliverContent(as(run, run.seller), { order_id, body: "Again." }),
  (run, order_id) => acceptDelivery(as(run, run.buyer), order_id),
  (run, order_id) => disputeDelivery(as(run, run.buyer), { order_id, reason: REASON }),
  (run, order_id) => withdrawDispute(as(run, run.buyer), order_id),
  (run, order_id) => refundDisputed(as(run, run.seller), order_id),
  (run, order_id) => withdrawUnpaid(as(run, run.buyer), order_id),
  ({ context }, order_id) => holdOrder(context, { order_id, reason: REASON }),
  ({ context, roll }, order_id) => {
    const outcome = OUTCOMES[roll(OUTCOMES.length)] ?? "resume";
    return resolveOrder(context, { order_id, outcome, reason: REASON });
  },
  (run, order_id) => recordPayout(silent(run), { order_id, ...sent(run) }),
  async (run, order_id) =>
    recordRefund(silent(run), { order_id, ...(await someDebts(run, order_id)), ...sent(run) }),
  (run) => run.pass(run.roll(20) * HOUR_S),
  ({ context }, id) => findOrder(context, id),
];

const thirdOf = (due_raw: bigint): bigint => (due_raw / 3n / UNIT_RAW) * UNIT_RAW;

/** Without a node, for nothing of what the dice record is on a chain. */
const silent = ({ context }: Run) => ({ ...context, chain: null });

const as = ({ context }: Run, agent: Agent) => ({ ...context, agent });
const sent = (run: Run) =>
  ({ currency: "xno", txid: run.txid(), proof: "unchecked", reason: REASON }) as const;

/** Some of the oldest debts to an account that the order owes something, by their sum. */
async function someDebts({ context, roll }: Run, order_id: number) {
  const lines = await context.snapshot((read) => debtLines(context, read, order_id));
  const { debts = [] } = lines[roll(lines.length)] ?? {};
  const sums = [...settlingAmounts(debts).keys()];
  return { n: debts[0]?.n, amount_raw: sums[roll(sums.length)] };
}

/** Puts a payment on the chain, where nobody has seen it yet. */
async function pay(
  { context, roll, transfers, txid }: Run,
  order_id: number,
  amountOf: (due_raw: bigint) => bigint,
): Promise<Transfer> {
  const order = await orderById.first(context.read, { id: order_id });
  assert.ok(order);
  const from = SENDERS[roll(SENDERS.length)] ?? null;
  const transfer = { order_id, txid: txid(), amount_raw: amountOf(BigInt(order.due_raw)), from };
  transfers.push(transfer);
  return transfer;
}

/** The watcher finds it, for the first time or once more. */
async function see({ context }: Run, { order_id, txid, amount_raw, from }: Transfer) {
  await context.write(async (tx) => {
    const order = await lockOrder.first(tx, { id: order_id });
    assert.ok(order);
    const sent = { currency: "xno", txid, receive_txid: null, amount_raw, from } as const;
    await receive(tx, order, context.clock.now(), { ...sent, checked: 1, by: null });
  });
}

async function seeAny(run: Run, id: number): Promise<void> {
  const own = run.transfers.filter(({ order_id }) => order_id === id);
  const transfer = own[run.roll(own.length + 1)];
  if (transfer !== undefined) await see(run, transfer);
}

async function step(run: Run): Promise<void> {
  const { roll, orders, offer_id } = run;
  if (orders.length === 0 || (orders.length < ORDERS_MAX && roll(30) === 0)) {
    const id = await placeOrder(as(run, run.buyer), { offer_id });
    orders.push({ id, state: "awaiting_payment" });
  }
  const order = orders[roll(orders.length)];
  const act = ACTS[roll(ACTS.length)];
  assert.ok(order && act);
  try {
    await act({ ...run, context: crashing(run.context, momentOf(roll)) }, order.id);
  } catch (error) {
    if (!(error instanceof Rejection || error instanceof Crash)) throw error;
  }
  await check(run, order);
}

/** Which states may follow which in one step: a move of the clock, if it is due, and one of somebody. */
const LATER: Readonly<Record<State, RegExp>> = {
  awaiting_payment: /^(paid|expired|withdrawn|refund_due|refunded)$/,
  paid: /^(delivered|held|refund_due|refunded)$/,
  delivered: /^(released|held|paid_out)$/,
  held: /^(paid|delivered|released|refund_due)$/,
  released: /^paid_out$/,
  paid_out: /^never$/,
  refund_due: /^refunded$/,
  refunded: /^never$/,
  expired: /^refund_due$/,
  withdrawn: /^refund_due$/,
};

/** I12 after every step, and no order goes back but from a hold. */
async function check({ context, seed }: Run, order: Run["orders"][number]): Promise<void> {
  const { read } = context;
  const [row, book] = await Promise.all([
    orderById.first(read, { id: order.id }),
    booksOf.first(read, { orders: JSON.stringify([order.id]) }),
  ]);
  assert.ok(row && book);
  const named = `order ${order.id} of seed ${seed}`;
  assert.deepEqual([book.state, book.escrow_raw], [row.state, row.escrow_raw], named);
  const held = [book.escrow_raw, book.seller_payable_raw, book.refund_payable_raw];
  const gone = [book.fee_raw, book.out_raw];
  const amounts = [...held, ...gone].map(BigInt);
  assert.ok(
    amounts.every((amount) => amount >= 0n),
    named,
  );
  assert.equal(BigInt(book.in_raw) + amounts.reduce((sum, each) => sum + each), 0n, named);
  if (row.state !== order.state) assert.match(row.state, LATER[order.state], named);
  order.state = row.state;
}

/** All that was seen for an order is in its book, each transfer once, and nothing else is. */
async function checkReceipts({ context: { read }, orders, transfers, seed }: Run): Promise<void> {
  for (const { id } of orders) {
    const [book, booked] = await Promise.all([
      booksOf.first(read, { orders: JSON.stringify([id]) }),
      paymentsOf.all(read, { order_id: id }),
    ]);
    const seen = new Set(booked.map(({ txid }) => txid));
    const own = transfers.filter(({ order_id, txid }) => order_id === id && seen.has(txid));
    const received = own.reduce((sum, { amount_raw }) => sum + amount_raw, 0n);
    const named = `order ${id} of seed ${seed}`;
    assert.equal(own.length, booked.length, named);
    assert.equal(BigInt(book?.in_raw ?? 0) + received, 0n, named);
  }
}

/** Several lives at once, each in a service of its own. */
simulates(async (seeds) => {
  const closing = new AsyncDisposableStack();
  const after = (close: () => Promise<unknown>) => closing.defer(async () => void (await close()));
  const { adapter } = await openChainService({ after });
  const reached = new Set<State>();
  const live = async (seed: string) => {
    const service = await openTestService("sqlite", `market-simulation ${seed}`);
    closing.defer(() => service.close());
    const run = await begin(seed, service, adapter);
    for (let n = 0; n < STEPS; n++) await step(run);
    await checkReceipts(run);
    for (const { state } of run.orders) reached.add(state);
    await checkInvariants(service);
  };
  try {
    await Promise.all(seeds.map((seed) => blaming(seed, live(seed))));
  } finally {
    await closing.disposeAsync();
  }
  return [...reached];
});
