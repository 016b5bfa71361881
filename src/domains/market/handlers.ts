import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Asked, Handlers } from "../../platform/kernel/contract/operation.ts";
import { TWIN_WITHIN_S, twinHint } from "../../platform/kernel/contract/retry-fields.ts";
import { toNumber } from "../../platform/kernel/money.ts";
import { HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import { numberIn } from "../../platform/ledger/transition.ts";
import { readFigures } from "./accounts/figures.ts";
import { marketLedger } from "./accounts/market-ledger.ts";
import { isOrderSealed } from "./audit/commitments.ts";
import { type market, orderCursor } from "./contract.ts";
import {
  findOffer,
  listOffers,
  offerAt,
  publishOffer,
  showOffer,
  withdrawOffer,
} from "./offers/offers.ts";
import { twinOfOffer } from "./offers/queries.ts";
import { viewOrder } from "./orders/order-view.ts";
import { findOwnOrder, placeOrder } from "./orders/orders.ts";
import { ownOrders } from "./orders/own-orders.ts";
import {
  acceptDelivery,
  deliverContent,
  disputeDelivery,
  refundDisputed,
  withdrawDispute,
  withdrawUnpaid,
} from "./orders/parties.ts";
import { setPayoutAddress } from "./orders/payout-address.ts";
import { settleDebts } from "./payouts/creditor.ts";
import { twinOfOrder } from "./queries.ts";
import * as rules from "./rules.ts";
import { DEV_CHAIN_LIMIT, HONEST_LIMITS, HOW_IT_WORKS } from "./texts.ts";

const LIMITS = {
  min_price_usd: toNumber(rules.PRICE_MIN),
  max_price_usd: toNumber(rules.PRICE_MAX),
  sla_hours_default: rules.SLA_HOURS_DEFAULT,
  sla_hours_max: rules.SLA_HOURS_MAX,
  pay_within_s: rules.PAY_WITHIN_S,
  accept_within_s: rules.ACCEPT_WITHIN_S,
  max_usd_looks_at_offers: rules.PRICE_SCAN_MAX,
};

export const marketHandlers: Handlers<typeof market, Context, Agent> = {
  async offers({ read, chain, settings }, which) {
    const [page, figure] = await Promise.all([listOffers(read, which), readFigures(read)]);
    return {
      fee_percent: rules.FEE_PERCENT,
      who_pays_the_fee: "the seller",
      ...page,
      count: page.offers.length,
      total: Number(figure("offers_open")),
      escrow_address_set: settings.escrowKey !== null,
      limits: { ...LIMITS, operator_pays_within_h: settings.payWithin_s / HOUR_S },
      how_it_works: [...HOW_IT_WORKS],
      honest_limits: [...(chain?.network === "dev" ? [DEV_CHAIN_LIMIT] : []), ...HONEST_LIMITS],
    };
  },

  async offer(context, sent) {
    const { repeated, agent } = context;
    if (repeated == null) {
      const offer = await publishOffer(context, agent, sent);
      await tellTwin(context, sent, "offer", (since) =>
        twinOfOffer.first(context.read, {
          agent: agent.id,
          title: sent.title,
          description: sent.description,
          price_usd_micro: Number(sent.price_usd),
          since,
          before_id: offer.id,
        }),
      );
      return { id: offer.id, offer };
    }
    const row = await offerAt(context.read, Number(repeated));
    if (row === undefined) throw new Error("An offer was published and is not there.");
    return { id: row.id, offer: showOffer(row) };
  },

  getOffer: async (context, { id }) => ({ offer: showOffer(await findOffer(context, id)) }),

  withdraw: async (context, { offer_id }) => ({
    offer: await withdrawOffer(context, context.agent, offer_id),
  }),

  async order(context, wanted) {
    const { repeated } = context;
    const id = repeated == null ? await placeOrder(context, wanted) : Number(repeated);
    if (repeated == null) {
      const of = { buyer: context.agent.id, offer: wanted.offer_id, before_id: id };
      await tellTwin(context, wanted, "order", (since) =>
        twinOfOrder.first(context.read, { ...of, since }),
      );
    }
    const order = await viewOrderAt(context, { order_id: id, role: "buyer", delivery: undefined });
    if (order.invoice === undefined) throw new Error("A new order shows its buyer an invoice.");
    return { id, invoice: order.invoice, order };
  },

  async get(context, { id, limit, cursor, delivery }) {
    if (id !== undefined) return { order: await viewOwnOrder(context, id, delivery) };
    const range = { before_id: cursor?.id ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const found = await ownOrders(context, context.agent.id, range);
    return orderCursor.list("orders", found, limit);
  },

  async deliver(context, sent) {
    const { repeated } = context;
    const n = repeated == null ? await deliverContent(context, sent) : numberIn(repeated);
    const order = await viewOwnOrder(context, sent.order_id);
    const made = order.deliveries.find((delivery) => delivery.n === n);
    if (made === undefined) throw new Error("A delivery was stored and is not shown.");
    await tellTwin(context, sent, "delivery", async (since) => {
      const isTwin = ({ n: other, at, content_sha256 }: typeof made) =>
        other < n && at >= since && content_sha256 === made.content_sha256;
      const twin = order.deliveries.find(isTwin);
      return twin && { id: twin.n, created_at: twin.at };
    });
    const { body: _, verified: __, ...delivery } = made;
    return { delivery, order };
  },

  async accept(context, { order_id }) {
    const isRepeated = context.repeated != null;
    const already_released = isRepeated ? false : await acceptDelivery(context, order_id);
    const repeated = already_released && { repeated: true as const };
    return { already_released, order: await viewOwnOrder(context, order_id), ...repeated };
  },

  async withdrawOrder(context, { order_id }) {
    if (context.repeated == null) await withdrawUnpaid(context, order_id);
    return { order: await viewOwnOrder(context, order_id) };
  },

  async dispute(context, said) {
    if (context.repeated == null) await disputeDelivery(context, said);
    const order = await viewOwnOrder(context, said.order_id);
    return { held_until: order.deadline_at ?? 0, order };
  },

  async withdrawDispute(context, { order_id }) {
    if (context.repeated == null) await withdrawDispute(context, order_id);
    return { order: await viewOwnOrder(context, order_id) };
  },

  async refund(context, { order_id }) {
    if (context.repeated == null) await refundDisputed(context, order_id);
    return { order: await viewOwnOrder(context, order_id) };
  },

  async settle(context, said) {
    if (context.repeated == null) await settleDebts(context, said);
    return { order: await viewOwnOrder(context, said.order_id) };
  },

  address: async (context, { address }) => ({
    payout_address: await setPayoutAddress(context, context.agent, address),
  }),

  ledger: (context, { limit, before_id = Number.MAX_SAFE_INTEGER, cursor, order_id }) =>
    context.snapshot((read) =>
      marketLedger(read, context, {
        limit,
        before_id: cursor?.id ?? before_id,
        ...(order_id && { order_id }),
      }),
    ),
};

interface Twin {
  readonly id: number;
  readonly created_at: Seconds;
}

/** Says which earlier act an act without a mark repeats. */
async function tellTwin(
  { hint, clock }: Pick<Context, "clock"> & Pick<Asked<Agent>, "hint">,
  { client_ref }: { readonly client_ref?: string | undefined },
  what: string,
  find: (since: Seconds) => Promise<Twin | undefined>,
): Promise<void> {
  if (client_ref !== undefined) return;
  const twin = await find(clock.now() - TWIN_WITHIN_S);
  if (twin !== undefined) hint?.(twinHint(`${what} ${twin.id}`, twin.created_at));
}

/** An order as the caller sees it, all of it at one moment. */
async function viewOwnOrder(
  context: Context & { readonly agent: Agent } & Rejects<"order_not_found">,
  id: number,
  delivery?: number,
) {
  const { role } = await findOwnOrder(context, id);
  return viewOrderAt(context, { order_id: id, role, delivery });
}

/** Of an order that is not the one that was sealed neither the invoice nor the payout is shown. */
function viewOrderAt(
  context: Pick<Context, "clock" | "settings" | "snapshot" | "isProven" | "edited">,
  wanted: Parameters<typeof viewOrder>[1],
) {
  const { clock, settings, snapshot, edited } = context;
  const time = { now: clock.now(), payWithin_s: settings.payWithin_s };
  return snapshot(async (read) => {
    const order = await viewOrder(read, wanted, time);
    if (await isOrderSealed(context, read, wanted.order_id)) return order;
    edited({ order_id: wanted.order_id });
    const { invoice: _, payout: __, ...shown } = order;
    return { ...shown, edited: true as const };
  });
}
