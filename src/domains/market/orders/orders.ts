import { accountText } from "../../../platform/chain/account.ts";
import type { Agent, Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { micro } from "../../../platform/kernel/money.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { decide, refuse } from "../../../platform/ledger/decide.ts";
import { ledgerName } from "../../../platform/ledger/genesis.ts";
import { enactAllowed } from "../../../platform/ledger/rows/enact-allowed.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { callerOf, partyIn } from "../../identity/ledger.ts";
import { isPriced, takingRate } from "../../transfers/rates.ts";
import { rateText } from "../../transfers/rules.ts";
import { BASE_MIN_RAW, baseRaw, splitOf, taggedDue } from "../amounts.ts";
import type { market } from "../contract.ts";
import { invoiceOf, order, type Salable, salable } from "../ledger.ts";
import { findOffer } from "../offers/offers.ts";
import { lockOffer } from "../offers/queries.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { PAY_WITHIN_S, type Role, SCAN_AGE_MAX_S, UNPAID_ORDERS_MAX } from "../rules.ts";
import { readAddress, refuseOwn } from "./nano-address.ts";
import { nextOrderId } from "./restored.ts";
import { settledOrder } from "./timers.ts";

/** What a new order may be refused for. */
type Refusing = Rejects<(typeof market.order.errors)[number]>;
type Caller = Context & { readonly agent: Agent };

interface Wanted {
  readonly offer_id: number;
  readonly refund_address?: string | undefined;
  readonly client_ref?: string | undefined;
}

const REFUNDED = {
  field: "refund_address",
  message: "Send the Nano account that refunds of this order are to go to.",
} as const;

/** Makes an order and its invoice; resolves to its id. Price, rate, amounts and addresses never change. */
export async function placeOrder(
  context: Caller & Refusing,
  { offer_id, client_ref, ...sent }: Wanted,
): Promise<number> {
  const { write, clock, agent } = context;
  const refund_address =
    sent.refund_address === undefined ? null : readAddress(context, REFUNDED, sent.refund_address);
  const { offer: seen } = await demandSalable(context, offer_id);
  const escrow_address = escrowAddress(context);
  const watch = await refuseUnwatched(context, escrow_address);
  const rate = await takingRate(context);
  const baseOf = (offer: OfferRow) => baseRaw(micro(offer.price_usd_micro), rate.usd_e8);
  if (baseOf(seen) < BASE_MIN_RAW) return refuse(context, order.refuses.seen);

  return write(async (tx) => {
    await lockOffer(tx, { id: offer_id });
    const { offer, before } = await demandSalable({ ...context, read: tx }, offer_id);
    if (refund_address !== null)
      await refuseOwn(context, REFUNDED, { tx, address: refund_address });
    const created_at = clock.now();
    const { price_usd_micro, sla_hours } = offer;
    const base_raw = String(baseOf(offer));
    const expires_at = created_at + PAY_WITHIN_S;
    const ordered = {
      price_usd_micro,
      sla_hours,
      refund_address,
      expires_at,
      rate_e8: Number(rate.usd_e8),
      rate_source: rate.source,
      client_ref: client_ref ?? null,
    };
    const row = await sql.insertOrder.first(tx, {
      id: await nextOrderId(tx),
      offer: offer_id,
      buyer: agent.id,
      seller: offer.agent,
      ...ordered,
      base_raw,
      escrow_address,
      created_at,
    });
    if (row === undefined) throw new Error("An order was inserted and has no id.");
    if (created_at - watch.invoiced_at > INVOICE_NOTED_S)
      await sql.noteInvoice.run(tx, { account: escrow_address, at: created_at });
    const genesis = await ledgerName(context, tx);
    const tagging = { genesis, id: row.id, base_raw };
    const invoiced = { ...tagging, due_raw: taggedDue(tagging, sha256Hex) };
    const { due_raw, fee_raw, seller_raw, fee_usd, seller_receives_usd } = splitOf({
      ...invoiced,
      price_usd_micro,
    });
    await sql.setDue.run(tx, { id: row.id, due_raw });
    const fees = { fee_usd_micro: Number(fee_usd), seller_usd_micro: Number(seller_receives_usd) };
    const priced = { order_id: row.id, price_usd_micro, rate: rateText(rate.usd_e8) };
    const given = {
      offer_id,
      buyer: agent,
      seller: { id: offer.agent, agent_id: offer.agent_id },
      ...ordered,
      ...priced,
      escrow: escrow_address,
      due_raw,
      fee_raw,
      seller_raw,
      ...fees,
    };
    await enactAllowed(context, tx, [order, rows.order], {
      // A service names its accounts in the ledger before it asks for money to them.
      before: {
        ...{ ...before, isEscrow: true, isRefundable: true },
        invoice: invoiceOf(priced, { genesis, sha256Hex }),
      },
      given,
      now: created_at,
    });
    return row.id;
  });
}

/** The day of an account's last invoice is exact enough, and its row is left alone in between. */
const INVOICE_NOTED_S = DAY_S;

function escrowAddress(context: Pick<Context, "chain" | "settings"> & Refusing): string {
  const { escrowKey } = context.settings;
  if (context.chain !== null && escrowKey !== null && isPriced(context))
    return accountText(escrowKey);
  return context.reject(
    "escrow_not_configured",
    "This network takes no orders: its operator has set no escrow account, no Nano node or no price of XNO.",
  );
}

type OfferRow = Awaited<ReturnType<typeof findOffer>>;
type Buying = Pick<Caller, "agent" | "clock"> & { readonly read: Db } & Refusing;

/** An offer that this agent can order, and what the rule of an order reads of it. */
async function demandSalable(context: Buying, offer_id: number) {
  const { read, clock, agent } = context;
  const offer = await findOffer(context, offer_id);
  const { agent_id, price_usd_micro, sla_hours, flagged, withdrawn_at } = offer;
  const limit = UNPAID_ORDERS_MAX;
  const before: Salable = {
    found: {
      ...{ agent: agent_id, price_usd_micro, sla_hours, flagged },
      isWithdrawn: withdrawn_at !== null,
    },
    buyer: callerOf(agent),
    seller: partyIn(offer),
    unpaid: (await sql.unpaidOrders.all(read, { buyer: agent.id, limit })).length,
  };
  const body = { offer_id, buyer: agent.agent_id };
  decide(context, salable, before, { body, now: clock.now() });
  return { offer, before };
}

/** While nobody looks whether a payment comes, nobody is asked for one. */
async function refuseUnwatched(
  { read, clock, reject }: Pick<Context, "read" | "clock"> & Refusing,
  account: string,
) {
  const watch = await sql.watched.first(read, { account });
  if (watch?.scanned_at != null && clock.now() - watch.scanned_at <= SCAN_AGE_MAX_S) return watch;
  return reject(
    "chain_unavailable",
    "No Nano node says what was paid to the escrow account, so no invoice is made. Nothing was stored; try again later.",
  );
}

/** An order of the caller's, after what the clock has done to it. Rejects with `order_not_found`. */
export async function findOwnOrder(
  context: Pick<Caller, "read" | "snapshot" | "write" | "clock" | "isProven" | "edited" | "agent"> &
    Rejects<"order_not_found">,
  id: number,
): Promise<{ readonly order: sql.OrderRow; readonly role: Role }> {
  const { agent, reject } = context;
  const order = await sql.orderById.first(context.read, { id });
  if (order === undefined || (order.buyer !== agent.id && order.seller !== agent.id))
    return reject("order_not_found", "You have no order with this id. {market.get} lists yours.");
  const role = order.buyer === agent.id ? "buyer" : "seller";
  return { order: await settledOrder(context, order), role };
}
