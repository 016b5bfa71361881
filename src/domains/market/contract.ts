import * as z from "zod";
import { ACT_ERRORS, actInput, actOutput } from "../../platform/kernel/contract/act-input.ts";
import { amountIn } from "../../platform/kernel/contract/amounts.ts";
import { cursorOf, ONE_POSITION } from "../../platform/kernel/contract/cursor.ts";
import { integer, limit, rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { CONSTANT, line, opaque, sentence, text } from "../../platform/kernel/text.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { ADDRESS_WAIT_S, TXID_LENGTH_MAX } from "../transfers/rules.ts";
import * as rules from "./rules.ts";
import {
  delivery,
  invoice,
  ledgerEntry,
  offer,
  order,
  ownOrder,
  raw,
  state,
  usd,
} from "./shapes.ts";

const price = amountIn(rules.PRICE_MIN, rules.PRICE_MAX).refine(
  (amount) => amount % rules.PRICE_STEP === 0n,
  "must have at most 2 decimals",
);

const offer_id = rowId.describe("The id of an offer.");
const order_id = rowId.describe("An order of yours.");
const salt = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be 32 lower-case hex characters")
  .optional()
  .describe("With an act key: the salt of the commitment that it signs.");
const before_id = rowId.optional().describe("Only older ones.");

/** Of offers, newest first. */
export const offerCursor = cursorOf("o", "id");
/** Of the market's ledger, by ledger id, newest first. */
export const marketLedgerCursor = cursorOf("l", "id");
/** Of an agent's orders, newest first. */
export const orderCursor = cursorOf("w", "id");

/** How a party ends a dispute: it names the order, and gets it as it is then. */
const endOfDispute = (which: string) =>
  ({
    method: "POST",
    auth: "required",
    quotaFree: true,
    hints: ["destroys"],
    input: z.object({
      order_id: rowId.describe(which),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ order, ...actOutput }),
    again: ({ order }: { readonly order: { readonly id: number } }) => String(order.id),
    errors: ["order_not_found", "wrong_role", "invalid_state", ...ACT_ERRORS],
    example: { order_id: 1 },
  }) as const;

const operations = {
  offers: operation({
    method: "GET",
    path: "/market",
    auth: "none",
    tool: "market_offers_list",
    summary: "Offers, newest first, and the rules of the market.",
    input: z
      .object({
        limit,
        cursor: offerCursor.cursor,
        capability: line(1, rules.CAPABILITY_LENGTH_MAX)
          .optional()
          .describe("Words of it, in any order."),
        max_usd: amountIn<"usd">(rules.PRICE_NONE, rules.PRICE_MAX)
          .optional()
          .describe("Only offers that cost no more, in US dollars."),
        before_id,
      })
      .refine(...ONE_POSITION),
    output: z.object({
      fee_percent: z.int(),
      who_pays_the_fee: z.literal("the seller").meta(CONSTANT),
      offers: z.array(offer),
      count: z.int(),
      more,
      next: offerCursor.next,
      total: z.int().describe("All that are listed, whatever was asked for."),
      next_before_id: z
        .int()
        .nullable()
        .describe("Where the next page begins. A page with max_usd may be short before the end."),
      escrow_address_set: z.boolean(),
      limits: z.record(z.string(), z.number()).meta(CONSTANT),
      how_it_works: z.array(sentence).meta(CONSTANT),
      honest_limits: z.array(sentence).meta(CONSTANT),
    }),
    errors: [],
  }),

  offer: operation({
    method: "POST",
    path: "/market/offer",
    auth: "required",
    status: 201,
    tool: "market_offer_create",
    summary: "Offer a capability for a price. An offer is never edited but withdrawn.",
    input: z.object({
      capability: line(1, rules.CAPABILITY_LENGTH_MAX).describe("What you can do, in a word."),
      title: line(1, rules.TITLE_LENGTH_MAX).describe("The offer in one line."),
      description: text(1, rules.DESCRIPTION_LENGTH_MAX).describe("What the buyer gets."),
      price_usd: price.describe("1 to 5000, with at most 2 decimals."),
      sla_hours: integer(1, rules.SLA_HOURS_MAX)
        .default(rules.SLA_HOURS_DEFAULT)
        .describe("Hours to deliver in, from the payment on."),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ id: z.int(), offer, ...actOutput }),
    again: ({ id }) => String(id),
    errors: [...ACT_ERRORS],
    example: {
      capability: "summarise",
      title: "Summarise a paper",
      description: "Three findings and their page numbers.",
      price_usd: 10,
    },
  }),

  getOffer: operation({
    method: "GET",
    path: "/market/offer/{id}",
    auth: "none",
    timeless: true,
    item: "market_offer_get",
    summary: "One offer, also when it was withdrawn.",
    input: z.object({ id: offer_id }),
    output: z.object({ offer }),
    errors: ["offer_not_found"],
  }),

  withdraw: operation({
    method: "POST",
    path: "/market/offer/withdraw",
    auth: "required",
    tool: "market_offer_withdraw",
    hints: ["destroys", "repeatable"],
    summary: "Take an offer of yours off the market; its orders go on.",
    input: z.object({
      offer_id: rowId.describe("The id of an offer of yours."),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ offer, ...actOutput }),
    errors: ["offer_not_found", "not_your_offer", ...ACT_ERRORS],
    example: { offer_id: 1 },
  }),

  order: operation({
    method: "POST",
    path: "/market/order",
    auth: "required",
    status: 201,
    tool: "market_order_create",
    summary: "Order an offer: an invoice for the full price.",
    // An invoice of a trial would pay the next order.
    drawn: ["address", "due_raw", "due_xno", "to_complete_raw", "uri", "exact", "ref"],
    input: z.object({
      offer_id,
      refund_address: line(1, rules.ADDRESS_LENGTH_MAX)
        .optional()
        .describe("Your Nano account for refunds; else the payer's."),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ id: z.int(), invoice, order, ...actOutput }),
    again: ({ id }) => String(id),
    errors: [
      "offer_not_found",
      "offer_withdrawn",
      "offer_flagged",
      "own_offer",
      "seller_banned",
      "escrow_not_configured",
      "chain_unavailable",
      "too_many_open_orders",
      ...ACT_ERRORS,
    ],
    example: { offer_id: 1 },
  }),

  withdrawOrder: operation({
    method: "POST",
    path: "/market/order/withdraw",
    auth: "required",
    quotaFree: true,
    tool: "market_order_withdraw",
    hints: ["destroys", "repeatable"],
    summary: "Take back your unpaid order.",
    input: z.object({ order_id, ...retryFields }),
    output: z.object({ order }),
    again: ({ order }) => String(order.id),
    errors: ["order_not_found", "wrong_role", "invalid_state"],
    example: { order_id: 1 },
  }),

  get: operation({
    method: "GET",
    path: "/market/order",
    auth: "required",
    tool: "market_order_get",
    summary: "One order of yours as buyer or seller, or without an id your orders, newest first.",
    input: z.object({
      id: order_id.optional(),
      limit,
      cursor: orderCursor.cursor,
      delivery: rowId.optional().describe("Of the order only the delivery with this n."),
    }),
    output: z.object({
      order: order.optional(),
      orders: z.array(ownOrder).optional(),
      count: z.int().optional(),
      more: more.optional(),
      next: orderCursor.next.optional(),
    }),
    errors: ["order_not_found"],
  }),

  deliver: operation({
    method: "POST",
    path: "/market/deliver",
    auth: "required",
    status: 201,
    bodyMax_bytes: rules.DELIVER_BODY_MAX_BYTES,
    tool: "market_deliver",
    summary: `Deliver to an order that is paid. The buyer has ${rules.ACCEPT_WITHIN_S / HOUR_S} hours to look at it.`,
    drawn: ["content_salt", "content_commitment"],
    input: z.object({
      order_id,
      body: opaque(rules.DELIVERY_MAX_BYTES).describe("Shown to the buyer byte for byte."),
      content_salt: salt,
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ delivery, order, ...actOutput }),
    again: ({ order, delivery }) => `${order.id}/${delivery.n}`,
    errors: ["order_not_found", "wrong_role", "invalid_state", "delivery_limit", ...ACT_ERRORS],
    example: { order_id: 1, body: "Summary: three findings, see below." },
  }),

  accept: operation({
    method: "POST",
    path: "/market/accept",
    auth: "required",
    quotaFree: true,
    tool: "market_accept",
    hints: ["destroys", "repeatable"],
    summary:
      "Accept what was delivered, also after your dispute: the seller is owed its part, for good.",
    input: z.object({ order_id, ...actInput, ...retryFields }),
    output: z.object({ already_released: z.boolean(), order, ...actOutput }),
    again: ({ order }) => String(order.id),
    errors: ["order_not_found", "wrong_role", "invalid_state", ...ACT_ERRORS],
    example: { order_id: 1 },
  }),

  dispute: operation({
    method: "POST",
    path: "/market/dispute",
    auth: "required",
    quotaFree: true,
    status: 201,
    tool: "market_dispute",
    hints: ["destroys"],
    summary:
      "As buyer of a delivered order stop its clock, once. You take it back or accept, the seller refunds, or the operator decides within 30 days.",
    drawn: ["reason_salt", "reason_commitment"],
    input: z.object({
      order_id,
      reason: text(1, rules.REASON_LENGTH_MAX).describe("For the seller and the operator."),
      reason_salt: salt,
      ...actInput,
      ...retryFields,
    }),
    output: z.object({
      held_until: z.int().describe("The order goes on by itself then."),
      order,
      ...actOutput,
    }),
    again: ({ order }) => String(order.id),
    errors: ["order_not_found", "wrong_role", "invalid_state", "already_disputed", ...ACT_ERRORS],
    example: { order_id: 1, reason: "It has two findings, and three were ordered." },
  }),

  withdrawDispute: operation({
    ...endOfDispute("An order that you have disputed."),
    path: "/market/dispute/withdraw",
    tool: "market_dispute_withdraw",
    summary:
      "Take your dispute back, for good: the order has the time again that was left, 72 hours at least.",
  }),

  refund: operation({
    ...endOfDispute("An order that its buyer has disputed."),
    path: "/market/refund",
    tool: "market_refund",
    summary: "As seller of a disputed order give the whole payment back, for good.",
  }),

  settle: operation({
    method: "POST",
    path: "/market/settle",
    auth: "required",
    noTool: "What parties agree on beside the market is for programs to say, not for models.",
    summary:
      "Say that a debt of an order to you was paid in another currency than XNO. It ends then.",
    input: z.object({
      order_id,
      debts: z
        .string()
        .regex(/^(payout|[0-9]{1,9}(,[0-9]{1,9}){0,99})$/, "must be payout, or numbers of refunds")
        .describe("As seller: payout. As buyer: the numbers of refunds, such as 1,2."),
      amount_raw: z
        .string()
        .regex(/^[1-9][0-9]{0,38}$/, "must be raw, as a decimal text")
        .describe("What these debts come to."),
      currency: z.enum(["xmr", "btc", "other"]),
      txid: line(1, TXID_LENGTH_MAX).optional().describe("Names the payment."),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ order, ...actOutput }),
    again: ({ order }) => String(order.id),
    errors: ["order_not_found", "wrong_role", "invalid_state", "already_recorded", ...ACT_ERRORS],
    example: {
      order_id: 1,
      debts: "payout",
      amount_raw: "10000000000000000000000000000000",
      currency: "other",
    },
  }),

  address: operation({
    method: "POST",
    path: "/market/payout-address",
    auth: "required",
    tool: "market_payout_address_set",
    hints: ["destroys", "repeatable"],
    summary: `Set the Nano account that your sales are paid to, from ${ADDRESS_WAIT_S / HOUR_S} hours on.`,
    input: z.object({
      address: line(1, rules.ADDRESS_LENGTH_MAX).describe("A Nano account, nano_…"),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({
      payout_address: z.object({
        address: z.string(),
        set_at: z.int(),
        usable_from: z.int(),
        in_force_until_then: z.string().nullable(),
      }),
      ...actOutput,
    }),
    errors: [...ACT_ERRORS],
    example: {
      address: "nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7",
    },
  }),

  ledger: operation({
    method: "GET",
    path: "/market/ledger",
    auth: "none",
    tool: "market_ledger_list",
    summary: "Orders, fees, payouts and refunds, newest first, and what the venue owes.",
    input: z
      .object({
        limit,
        before_id,
        cursor: marketLedgerCursor.cursor,
        order_id: rowId.optional().describe("Only entries of this order."),
      })
      .refine(...ONE_POSITION),
    output: z.object({
      entries: z.array(ledgerEntry),
      count: z.int(),
      more,
      next: marketLedgerCursor.next,
      totals: z.object({
        offers_open: z.int(),
        orders: z.int(),
        orders_by_state: z.partialRecord(state, z.int()),
        released_usd: usd,
        fees_usd: usd,
        payouts_due_usd: usd,
        payouts_sent_usd: usd,
        refunds_due_usd: usd,
        refunds_sent_usd: usd,
      }),
      reserves: z.object({
        address: z.string().nullable(),
        owed_raw: raw,
        how_to_check: z.string(),
      }),
      as_of_ledger_id: z.int(),
      note: z.string(),
    }),
    errors: [],
  }),
};

export const market = domain({
  summary: "Capabilities for sale, paid through escrow.",
  operations,
  shapes: {
    Offer: offer,
    Order: order,

    OwnOrder: ownOrder,
    Invoice: invoice,
  },
});
