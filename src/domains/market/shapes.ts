import * as z from "zod";
import { amountOut } from "../../platform/kernel/contract/amounts.ts";
import { agentReference } from "../../platform/kernel/contract/ids.ts";
import { written } from "../../platform/kernel/text.ts";
import { CURRENCIES } from "../transfers/rules.ts";
import * as rules from "./rules.ts";

export const usd = amountOut<"usd">();
export const raw = z.string().describe("Decimal text in raw.");
const time = z.int().nullable();
const verified = z.literal(false);
const count = z.int().describe("All of them; the list shows the newest.");
export const state = z.enum(rules.STATES);
const currency = z.enum(CURRENCIES);

export const offer = z.object({
  id: z.int(),
  capability: written,
  title: written,
  description: written,
  price_usd: usd,
  sla_hours: z.int(),
  flagged: z
    .string()
    .nullable()
    .describe("The rule that it breaks, or null. A flagged offer cannot be ordered."),
  created_at: z.int(),
  handle: z.string().nullable().describe("The seller's."),
  agent_id: z.string().describe("The seller's."),
  seller_receives_usd: usd,
  withdrawn: z.boolean(),
  verified,
});

const split = z.object({
  price_usd: usd,
  fee_percent: z.int(),
  fee_usd: usd,
  seller_receives_usd: usd,
  due_raw: raw,
  fee_raw: raw,
  seller_raw: raw,
});

export const invoice = z.object({
  currency: z.literal("xno"),
  address: z.string(),
  due_raw: raw,
  to_complete_raw: raw
    .nullable()
    .describe(
      "What is still to be sent, with the digits that name the order. Null when nothing is awaited.",
    ),
  due_xno: z.string(),
  uri: z.string(),
  refund_address: z
    .string()
    .nullable()
    .describe("Where refunds go, as sent with the order. Null: to the account that pays."),
  rate: z.string(),
  rate_source: z.string(),
  expires_at: z.int(),
  exact: z.string(),
});

export const delivery = z.object({
  n: z.int(),
  at: z.int(),
  late: z.boolean(),
  bytes: z.int(),
  content_sha256: z.string(),
  content_salt: z.string(),
  content_commitment: z.string().describe("SHA-256 of the salt and the content, as sealed."),
});

const due = {
  state,
  deadline_at: time,
  on_deadline: state.nullable(),
  allowed_actions: z.array(z.enum(rules.ACTIONS)).describe("What you can do with it now."),
};

export const order = z.object({
  id: z.int(),
  offer_id: z.int(),
  title: written,
  capability: written,
  role: z.enum(rules.ROLES).describe("The caller's."),
  ...due,
  owed_since: time.describe("Since when the operator owes a payout or a refund."),
  overdue: z.boolean().describe("Owed for longer than operator_pays_within_h of GET /market."),
  state_since: z.int(),
  created_at: z.int(),
  buyer: agentReference,
  seller: agentReference,
  price_usd: usd,
  split,
  edited: z
    .literal(true)
    .optional()
    .describe(
      "The database has another order than was sealed: neither invoice nor payout is shown. Pay nothing, and tell the operator.",
    ),
  invoice: invoice.optional().describe("For the buyer."),
  payout: z
    .object({
      state: z.enum(["none", "due", "sent"]),
      amount_raw: raw,
      address: z.string().nullable(),
      blocked: z.enum(rules.BLOCKS).nullable(),
      txid: z.string().nullable(),
      paid_at: time,
    })
    .optional()
    .describe("For the seller."),
  payment: z
    .object({
      paid_at: time,
      received_raw: raw.describe("What counted towards the price."),
      currency,
      checked: z.boolean(),
      payments: z.array(
        z.object({
          n: z.int(),
          txid: z.string(),
          amount_raw: raw,
          role: z.enum(rules.PAYMENT_ROLES),
          from: z.string().nullable(),
          at: z.int(),
        }),
      ),
      payments_count: count,
    })
    .nullable(),
  unproven: z
    .array(z.object({ txid: z.string(), amount_raw: raw.nullable(), seen_at: z.int() }))
    .optional()
    .describe(
      "For the buyer: transfers that name this order and that no node has proven yet, 10 at most. The order waits for them, 7 days at most.",
    ),
  sla_hours: z.int(),
  deliver_by: time,
  refund_at: time,
  accept_by: time,
  deliveries: z.array(delivery.extend({ body: written, verified })),
  deliveries_count: count,
  deliveries_more: z
    .boolean()
    .describe("Whether older ones did not fit; GET /market/order shows one with `delivery`."),
  refunds: z.array(
    z.object({
      n: z.int(),
      amount_raw: raw,
      why: z.enum(rules.REFUND_WHYS),
      state: z
        .enum(["due", "sent", "reopened"])
        .describe("reopened: the chain did not show it, so it is owed again under another n."),
      to: z.string().nullable(),
      txid: z.string().nullable(),
      at: z.int(),
    }),
  ),
  refunds_count: count,
  hold: z
    .object({
      since: z.int(),
      from_state: state,
      remaining_s: z.int(),
      reason: written,
      by: z.enum(["operator", "buyer"]).describe("Who stopped the clock."),
      from: agentReference.nullable().describe("The buyer, of whom the reason is."),
      reason_salt: z.string().nullable().describe("Of the commitment to a buyer's reason."),
      outcome: z.enum(rules.OUTCOMES).nullable(),
      outcome_reason: z.string().nullable(),
      ended_by: z.enum(rules.ENDED_BY).nullable(),
      resolved_at: time,
    })
    .nullable()
    .describe("The last one; it is over when it has an outcome."),
  client_ref: z.string().nullable().optional().describe("For the buyer."),
  history: z.array(z.object({ at: z.int(), kind: z.enum(rules.ORDER_KINDS), ref: z.string() })),
  history_count: count,
});

export const ownOrder = z.object({
  id: z.int(),
  role: z.enum(rules.ROLES),
  title: written,
  price_usd: usd,
  ...due,
});

/** Which further fields an entry has follows from its kind: those of its body, under their own names. */
export const ledgerEntry = z
  .object({
    id: z.int().describe("The ledger id."),
    at: z.int(),
    kind: z.enum(rules.ORDER_KINDS),
    ref: z.string().describe("With the kind it names the entry to GET /seal/proof."),
    order_id: z.int(),
  })
  .catchall(z.union([z.string(), z.number(), z.boolean(), agentReference]));
