import assert from "node:assert/strict";
import { dev } from "../../../test/chain-service.ts";
import { eachMarket, type Market, tagOf } from "../../../test/market-service.ts";
import type { TestAgent } from "../../../test/service.ts";
import { accountText } from "../../chain/account.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../kernel/time.ts";
import { recordPayment } from "../payments/received.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import type { Outcome, State } from "../rules.ts";
import { holdOrder, resolveOrder } from "./operator.ts";

const REASON = "The operator has looked at it.";

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
  operator_holds: "invalid_state",
  operator_releases: "invalid_state",
  operator_refunds: "invalid_state",
  operator_resumes: "invalid_state",
  operator_records_payout: "invalid_state",
  operator_records_refund: "validation_failed",
  operator_records_xmr: "invalid_state",
};

interface Row {
  readonly state: State;
  /** Brings an order into the state; resolves to its id. */
  readonly reach: (setting: Setting) => Promise<number>;
  /** The state that each act leads to; all others are refused. */
  readonly leads: Partial<Record<ActName, State>> & Record<"part_arrives" | "all_arrives", State>;
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
const same = (state: State) => ({ part_arrives: state, all_arrives: state });

const ROWS: readonly Row[] = [
  {
    state: "awaiting_payment",
    reach: ordered,
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
      operator_holds: "held",
    },
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
    leads: same("refund_due"),
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
    for (const { state, reach, leads } of ROWS) {
      const id = await reach(setting);
      const before = await trace(setting, id);
      assert.equal(before.order.state, state);
      for (const [name, code] of Object.entries(REFUSED) as [keyof typeof REFUSED, string][]) {
        if (leads[name] !== undefined) continue;
        assert.equal(await ACTS[name](setting, id), code, `${name} when ${state}`);
        assert.deepEqual(await trace(setting, id), before, `${name} when ${state} writes nothing`);
      }
      for (const [name, next] of Object.entries(leads) as [ActName, State][]) {
        const fresh = await reach(setting);
        assert.equal(await ACTS[name](setting, fresh), null, `${name} when ${state}`);
        assert.equal((await market.seen(market.buyer, fresh)).state, next, `${name} when ${state}`);
      }
    }
  },
);

/** All that an act on an order can change. */
async function trace(market: Market, id: number) {
  const order = await market.seen(market.buyer, id);
  await market.sequenced();
  return { order, last: (await market.get("/market/ledger")).body.as_of_ledger_id };
}
