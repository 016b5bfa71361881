import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market, tagOf } from "../../../../test/market-service.ts";
import type { TestAgent } from "../../../../test/service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { recordPayment } from "../payments/received.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { type Action, type Outcome, ROLES, type Role, type State } from "../rules.ts";
import { holdOrder, resolveOrder } from "./operator.ts";

const REASON = "The operator has looked at it.";
const COMPLAINT = "It has two findings, and three were ordered.";

interface Setting extends Market {
  readonly stranger: TestAgent;
  readonly offer_id: number;
}

/** Does something to an order; resolves to null or to the code of its refusal. */
type Act = (setting: Setting, order_id: number) => Promise<string | null>;

const post =
  (who: "buyer" | "seller" | "stranger", path: string, fields: object = {}): Act =>
  async (setting, order_id) => {
    const { status, body } = await setting[who].post(path, { order_id, ...fields });
    return status < 300 ? null : body.error;
  };

const operate =
  (work: (setting: Setting, order_id: number) => Promise<unknown>): Act =>
  (setting, order_id) =>
    work(setting, order_id).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Rejection) return error.code;
        throw error;
      },
    );

let hashes = 0;
const txid = () => (++hashes).toString(16).padStart(64, "B");
const unproven = { proof: "unchecked", reason: REASON } as const;
/** Only without a node is the operator's word taken. */
const silent = (context: Market["context"]) => ({ ...context, chain: null });

const resolve = (outcome: Outcome): Act =>
  operate(({ context }, order_id) => resolveOrder(context, { order_id, outcome, reason: REASON }));

const pay = (share: "all" | "part"): Act =>
  operate(async (market, id) => {
    const { split } = await market.seen(market.buyer, id);
    const part = 10n ** 30n + tagOf(split);
    await market.book(id, share === "all" ? split.due_raw : part);
  });

const ACTS = {
  seller_delivers: post("seller", "/market/deliver", { body: "Here it is." }),
  buyer_delivers: post("buyer", "/market/deliver", { body: "Here it is." }),
  stranger_delivers: post("stranger", "/market/deliver", { body: "Here it is." }),
  buyer_accepts: post("buyer", "/market/accept"),
  seller_accepts: post("seller", "/market/accept"),
  stranger_accepts: post("stranger", "/market/accept"),
  buyer_withdraws: post("buyer", "/market/order/withdraw"),
  seller_withdraws: post("seller", "/market/order/withdraw"),
  stranger_withdraws: post("stranger", "/market/order/withdraw"),
  buyer_disputes: post("buyer", "/market/dispute", { reason: COMPLAINT }),
  seller_disputes: post("seller", "/market/dispute", { reason: COMPLAINT }),
  stranger_disputes: post("stranger", "/market/dispute", { reason: COMPLAINT }),
  buyer_takes_back: post("buyer", "/market/dispute/withdraw"),
  seller_takes_back: post("seller", "/market/dispute/withdraw"),
  stranger_takes_back: post("stranger", "/market/dispute/withdraw"),
  buyer_refunds: post("buyer", "/market/refund"),
  seller_refunds: post("seller", "/market/refund"),
  stranger_refunds: post("stranger", "/market/refund"),
  operator_holds: operate(({ context }, order_id) =>
    holdOrder(context, { order_id, reason: REASON }),
  ),
  operator_releases: resolve("release"),
  operator_refunds: resolve("refund"),
  operator_resumes: resolve("resume"),
  operator_records_payout: operate(({ context }, order_id) =>
    recordPayout(silent(context), { order_id, currency: "xno", txid: txid(), ...unproven }),
  ),
  operator_records_refund: operate(({ context }, order_id) =>
    recordRefund(silent(context), {
      order_id,
      currency: "xno",
      txid: txid(),
      ...unproven,
      to: accountText(dev("carol").key),
    }),
  ),
  operator_records_xmr: operate(({ context }, order_id) =>
    recordPayment(context, { order_id, currency: "xmr", txid: txid(), reason: REASON }),
  ),
  part_arrives: pay("part"),
  all_arrives: pay("all"),
} satisfies Record<string, Act>;
type ActName = keyof typeof ACTS;

/** What every state refuses unless its row says otherwise. */
const REFUSED: Readonly<Record<Exclude<ActName, "part_arrives" | "all_arrives">, string>> = {
  seller_delivers: "invalid_state",
  buyer_delivers: "wrong_role",
  stranger_delivers: "order_not_found",
  buyer_accepts: "invalid_state",
  seller_accepts: "wrong_role",
  stranger_accepts: "order_not_found",
  buyer_withdraws: "invalid_state",
  seller_withdraws: "wrong_role",
  stranger_withdraws: "order_not_found",
  buyer_disputes: "invalid_state",
  seller_disputes: "wrong_role",
  stranger_disputes: "order_not_found",
  buyer_takes_back: "invalid_state",
  seller_takes_back: "wrong_role",
  stranger_takes_back: "order_not_found",
  buyer_refunds: "wrong_role",
  seller_refunds: "invalid_state",
  stranger_refunds: "order_not_found",
  operator_holds: "invalid_state",
  operator_releases: "invalid_state",
  operator_refunds: "invalid_state",
  operator_resumes: "invalid_state",
  operator_records_payout: "invalid_state",
  operator_records_refund: "validation_failed",
  operator_records_xmr: "invalid_state",
};

/** The acts that `allowed_actions` names; a payment comes by the chain, and an address is no matter of one order. */
const NAMED = new Map<ActName, readonly [Role, Action]>([
  ["buyer_withdraws", ["buyer", "withdraw"]],
  ["buyer_accepts", ["buyer", "accept"]],
  ["buyer_disputes", ["buyer", "dispute"]],
  ["buyer_takes_back", ["buyer", "withdraw_dispute"]],
  ["seller_delivers", ["seller", "deliver"]],
  ["seller_refunds", ["seller", "refund"]],
  ["all_arrives", ["buyer", "pay"]],
]);

interface Row {
  readonly state: State;
  /** Brings an order into the state; resolves to its id. */
  readonly reach: (setting: Setting) => Promise<number>;
  /** The state that each act leads to; all others are refused. */
  readonly leads: Partial<Record<ActName, State>> & Record<"part_arrives" | "all_arrives", State>;
  /** Codes of this row alone. */
  readonly refuses?: Partial<Record<ActName, string>>;
}

const doing =
  (before: (setting: Setting) => Promise<number>, ...acts: readonly ActName[]) =>
  async (setting: Setting): Promise<number> => {
    const id = await before(setting);
    for (const act of acts) assert.equal(await ACTS[act](setting, id), null, act);
    return id;
  };

const ordered = async (setting: Setting): Promise<number> =>
  (await setting.order(setting.offer_id)).id;
const delivered = doing(ordered, "all_arrives", "seller_delivers");
const disputed = doing(delivered, "buyer_disputes");
const ONCE = { buyer_disputes: "already_disputed" };
const same = (state: State) => ({ part_arrives: state, all_arrives: state });

const ROWS: readonly Row[] = [
  {
    state: "awaiting_payment",
    reach: ordered,
    leads: {
      part_arrives: "awaiting_payment",
      all_arrives: "paid",
      buyer_withdraws: "withdrawn",
      operator_records_xmr: "paid",
    },
  },
  {
    state: "awaiting_payment",
    reach: doing(ordered, "part_arrives"),
    leads: { part_arrives: "awaiting_payment", all_arrives: "paid", operator_records_xmr: "paid" },
  },
  {
    state: "paid",
    reach: doing(ordered, "all_arrives"),
    leads: { ...same("paid"), seller_delivers: "delivered", operator_holds: "held" },
  },
  {
    state: "delivered",
    reach: delivered,
    leads: {
      ...same("delivered"),
      seller_delivers: "delivered",
      buyer_accepts: "released",
      buyer_disputes: "held",
      operator_holds: "held",
    },
  },
  {
    state: "held",
    reach: disputed,
    leads: {
      ...same("held"),
      buyer_accepts: "released",
      buyer_takes_back: "delivered",
      seller_refunds: "refund_due",
      operator_releases: "released",
      operator_refunds: "refund_due",
      operator_resumes: "delivered",
    },
    refuses: ONCE,
  },
  {
    state: "delivered",
    reach: doing(disputed, "buyer_takes_back"),
    leads: {
      ...same("delivered"),
      seller_delivers: "delivered",
      buyer_accepts: "released",
      operator_holds: "held",
    },
    refuses: ONCE,
  },
  {
    state: "held",
    reach: doing(disputed, "buyer_takes_back", "operator_holds"),
    leads: {
      ...same("held"),
      operator_releases: "released",
      operator_refunds: "refund_due",
      operator_resumes: "delivered",
    },
    refuses: ONCE,
  },
  {
    state: "released",
    reach: doing(disputed, "buyer_accepts"),
    leads: { ...same("released"), buyer_accepts: "released", operator_records_payout: "paid_out" },
    refuses: ONCE,
  },
  {
    state: "refund_due",
    reach: doing(disputed, "seller_refunds"),
    leads: { ...same("refund_due"), operator_records_refund: "refunded" },
    refuses: ONCE,
  },
  {
    state: "held",
    reach: doing(ordered, "all_arrives", "operator_holds"),
    leads: { ...same("held"), operator_refunds: "refund_due", operator_resumes: "paid" },
  },
  {
    state: "held",
    reach: doing(delivered, "operator_holds"),
    leads: {
      ...same("held"),
      operator_releases: "released",
      operator_refunds: "refund_due",
      operator_resumes: "delivered",
    },
  },
  {
    state: "released",
    reach: doing(delivered, "buyer_accepts"),
    leads: {
      ...same("released"),
      buyer_accepts: "released",
      operator_records_payout: "paid_out",
    },
  },
  {
    state: "paid_out",
    reach: doing(delivered, "buyer_accepts", "operator_records_payout"),
    leads: { ...same("paid_out"), buyer_accepts: "paid_out" },
  },
  {
    state: "refund_due",
    reach: doing(ordered, "all_arrives", "operator_holds", "operator_refunds"),
    leads: { ...same("refund_due"), operator_records_refund: "refunded" },
  },
  {
    state: "refunded",
    reach: doing(
      ordered,
      ...([
        "all_arrives",
        "operator_holds",
        "operator_refunds",
        "operator_records_refund",
      ] as const),
    ),
    leads: same("refunded"),
  },
  {
    state: "expired",
    async reach(setting) {
      const id = await ordered(setting);
      setting.pass(HOUR_S + 10 * MINUTE_S + 1);
      await setting.watch();
      return id;
    },
    leads: { ...same("refund_due"), buyer_withdraws: "expired" },
  },
  {
    state: "withdrawn",
    reach: doing(ordered, "buyer_withdraws"),
    leads: { ...same("refund_due"), buyer_withdraws: "withdrawn" },
  },
];

eachMarket(
  "each state allows what its row says, refuses the rest and then writes nothing",
  async (market) => {
    const stranger = await market.register("eve");
    const setting = { ...market, stranger, offer_id: await market.offer() };
    const address = accountText(dev("bob").key);
    assert.equal((await market.seller.post("/market/payout-address", { address })).status, 200);
    market.pass(DAY_S);
    await market.watch();
    for (const { state, reach, leads, refuses = {} } of ROWS) {
      const id = await reach(setting);
      const before = await trace(setting, id);
      assert.equal(before.order.state, state);
      const codes = { ...REFUSED, ...refuses };
      for (const [name, code] of Object.entries(codes) as [keyof typeof REFUSED, string][]) {
        if (leads[name] !== undefined) continue;
        assert.equal(await ACTS[name](setting, id), code, `${name} when ${state}`);
        assert.deepEqual(await trace(setting, id), before, `${name} when ${state} writes nothing`);
      }
      const worked: Record<Role, Action[]> = { buyer: [], seller: [] };
      for (const [name, next] of Object.entries(leads) as [ActName, State][]) {
        const fresh = await reach(setting);
        const { last } = await trace(setting, fresh);
        assert.equal(await ACTS[name](setting, fresh), null, `${name} when ${state}`);
        const after = await trace(setting, fresh);
        assert.equal(after.order.state, next, `${name} when ${state}`);
        const named = NAMED.get(name);
        if (named === undefined) continue;
        const [role, action] = named;
        const isMade = after.last > last && (action !== "pay" || state === "awaiting_payment");
        if (isMade) worked[role].push(action);
      }
      for (const role of ROLES) {
        const { allowed_actions } = await market.seen(market[role], id);
        assert.deepEqual(allowed_actions.toSorted(), worked[role].sort(), `${role}: ${state}`);
      }
    }
  },
);

eachMarket("what an order allows follows the clock before a job does", async (market) => {
  const offer_id = await market.offer();
  const stranger = await market.register("eve");
  const setting = { ...market, stranger, offer_id };
  const id = await ordered(setting);
  const refused = await ACTS.buyer_disputes(setting, id);
  assert.equal(refused, "invalid_state");
  const { body } = await market.buyer.post("/market/dispute", { order_id: id, reason: COMPLAINT });
  assert.deepEqual(body.details, [{ field: "state", problem: "awaiting_payment" }]);
  market.pass(HOUR_S + 1);
  const over = await market.seen(market.buyer, id);
  assert.deepEqual([over.state, over.allowed_actions], ["awaiting_payment", ["withdraw"]]);
  assert.equal(await ACTS.buyer_withdraws(setting, id), null);
});

/** All that an act on an order can change. */
async function trace(market: Market, id: number) {
  const order = await market.seen(market.buyer, id);
  await market.sequenced();
  return { order, last: (await market.get("/market/ledger")).body.as_of_ledger_id };
}
