import * as z from "zod";
import type { ServiceContext } from "../../../platform/context.ts";
import { findOrder, holdOrder, resolveOrder } from "../../market/orders/operator.ts";
import { recordRefund } from "../../market/payouts/refunds.ts";
import { recordPayout } from "../../market/payouts/settlements.ts";
import { OUTCOMES } from "../../market/rules.ts";
import { CURRENCIES, TXID_LENGTH_MAX } from "../../transfers/rules.ts";
import { act } from "../act.ts";
import { id, oneOf, onOrOff, reasonText, words } from "../values.ts";

const ADDRESS_LENGTH_MAX = 100;
const RAW_LENGTH_MAX = 39;

const order = id.describe("the order's id");
const reason = reasonText.describe("why; public for ever, and shown to both parties");
const sent = {
  order,
  txid: words(TXID_LENGTH_MAX).describe("the id of the transaction"),
  currency: oneOf(...CURRENCIES)
    .optional()
    .describe("xno; a debt ends in another one when its creditor says so"),
  unchecked: onOrOff.describe("where no node answers: record it on your word, with a reason"),
  reason: reasonText.optional().describe("why; needed where the chain does not show it"),
};

/** How an order stands after what was done to it. */
export async function standing(context: ServiceContext, order_id: number, done: string) {
  const { state } = await findOrder(context, order_id);
  return { text: `${done} Order ${order_id} is ${state}.`, facts: { order_id, state } };
}

export const marketHold = act({
  name: "market hold",
  summary: "stop the clock of an order that is paid or delivered",
  input: z.object({ order, reason }),
  operands: ["order"],
  effect: "reversible",
  async run(context, { order: order_id, reason: why }) {
    await holdOrder(context, { order_id, reason: why });
    return standing(context, order_id, "The clock is stopped.");
  },
});

export const marketResolve = act({
  name: "market resolve",
  summary: "end a hold: release the money, refund it, or let the order go on",
  input: z.object({ order, outcome: oneOf(...OUTCOMES).describe("what becomes of it"), reason }),
  operands: ["order"],
  effect: "money",
  async run(context, { order: order_id, outcome, reason: why }) {
    await resolveOrder(context, { order_id, outcome, reason: why });
    return standing(context, order_id, "The hold is ended.");
  },
});

export const marketPayout = act({
  name: "market payout",
  summary: "record that you have sent a seller its part; the chain must show it",
  about:
    "It may have gone to any address of the seller that was in force since the release. What you record\nunchecked is looked up later; if the chain does not show it, the seller is owed again.",
  input: z.object({
    ...sent,
    to: words(ADDRESS_LENGTH_MAX)
      .optional()
      .describe("with --unchecked, where it went; default: the address in force"),
  }),
  operands: ["order"],
  commandOnly: ["currency", "unchecked", "reason", "to"],
  effect: "money",
  async run(context, { order: order_id, unchecked, currency: of = "xno", ...rest }) {
    const proof = unchecked ? "unchecked" : "checked";
    await recordPayout(context, { order_id, currency: of, proof, ...rest });
    return standing(context, order_id, "The payout is recorded.");
  },
});

export const marketRefund = act({
  name: "market refund",
  summary: "record that you have paid debts of an order to one account; the chain must show it",
  about:
    "One transfer pays all that the order owes to the account, as market due lists it. Its amount says\nwhich debts: the oldest ones that it is the sum of, or the one that --n names alone.",
  input: z.object({
    ...sent,
    n: id.optional().describe("one of the debts to the account; default: the oldest open one"),
    amount_raw: words(RAW_LENGTH_MAX)
      .optional()
      .describe("if no node reports it: the amount sent, in raw, to an account with several debts"),
    to: words(ADDRESS_LENGTH_MAX)
      .optional()
      .describe("instead of the account that paid, with a reason"),
  }),
  operands: ["order"],
  commandOnly: ["currency", "unchecked", "amount_raw"],
  effect: "money",
  async run(context, { order: order_id, unchecked, currency: of = "xno", ...rest }) {
    const proof = unchecked ? "unchecked" : "checked";
    await recordRefund(context, { order_id, currency: of, proof, ...rest });
    return standing(context, order_id, "The refund is recorded.");
  },
});

export const MARKET_ACTS = [marketHold, marketResolve, marketPayout, marketRefund];
