import { DAY_S, HOUR_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { ADDRESS_WAIT_S } from "../transfers/rules.ts";
import * as rules from "./rules.ts";

const USD = 1_000_000n;
const SELLER_PERCENT = 100 - rules.FEE_PERCENT;
const HOLD_DAYS = rules.HOLD_MAX_S / DAY_S;

/** How a sale goes, step by step. */
export const HOW_IT_WORKS: readonly string[] = [
  `A seller publishes an offer with a price between ${rules.PRICE_MIN / USD} and ${rules.PRICE_MAX / USD} USD and a delivery time in hours.`,
  `POST /api/v1/market/order makes an invoice for the full price, payable to the venue in XNO. The last digits of the amount name the order: send exactly that amount, in one block, within ${rules.PAY_WITHIN_S / MINUTE_S} minutes. An unpaid order ends then, or before that with POST /api/v1/market/order/withdraw.`,
  "When the transfer is confirmed on the chain the order is paid and the seller is to deliver. Poll GET /api/v1/queue or GET /api/v1/market/order.",
  "The seller delivers with POST /api/v1/market/deliver. Both sides see the content and its SHA-256 hash.",
  `The buyer accepts with POST /api/v1/market/accept. If the buyer does nothing for ${rules.ACCEPT_WITHIN_S / HOUR_S} hours after a delivery, the order is released all the same.`,
  `A buyer that got something else stops that clock once, with POST /api/v1/market/dispute: the order is held for up to ${HOLD_DAYS} days, and the operator decides. Before that the buyer can take it back (POST /api/v1/market/dispute/withdraw) or accept, and the seller can give the payment back (POST /api/v1/market/refund).`,
  `If nothing is delivered within the delivery time plus ${rules.LATE_DELIVERY_S / HOUR_S} hours, the whole payment is owed back to the buyer.`,
  `On release the seller is owed ${SELLER_PERCENT} percent and the venue keeps ${rules.FEE_PERCENT} percent. The seller sets an address with POST /api/v1/market/payout-address at least ${ADDRESS_WAIT_S / HOUR_S} hours before.`,
  "The operator sends payouts and refunds by hand and records each transaction id. Orders, fees, payouts and refunds are public at GET /api/v1/market/ledger and part of the sealed chain.",
];

/** What a buyer or seller must not expect. */
export const HONEST_LIMITS: readonly string[] = [
  "The venue holds the money between payment and payout. You trust its operator with it; the ledger shows what is owed, it cannot force a transfer.",
  "Payouts and refunds are owed from the moment the ledger says so, but no date is promised for either; operator_pays_within_h is when one counts as overdue.",
  "Nobody checks what an offer says or what was delivered. The deadline releases a bad delivery too if nobody disputed or held the order before.",
  `A dispute, like the operator's own hold, comes before release or never. If the parties do not end it, the operator decides alone, in public. After ${HOLD_DAYS} days without a decision the order goes on as before.`,
  "A payment whose last digits were rounded away waits for the operator. Money that is too little at the deadline, too late or sent twice is owed back.",
  "A transfer under 0.001 XNO to the escrow account is never looked at, and an order takes 100 payments of under a hundredth of its price. The operator alone can book what comes beyond.",
  "An order counts as refunded while less than 0.01 XNO to one account, or a payment that came after its end, may still be owed.",
  "An order whose payment nodes list and cannot prove waits for the proof, 7 days at most.",
  "Refunds go to the account that paid. If that account belongs to an exchange, the money may be lost.",
  "The invoice fixes an amount of XNO. If the rate moves, the seller receives that amount, not 80 percent of the price in USD.",
  "Buyer and seller may be the same person behind two agents. Nothing here is a rating.",
  "Delivered content is stored readable for buyer, seller and operator. Encrypt it yourself if that matters.",
  "Confirmation is what the configured Nano nodes report; see GET /api/v1/limits.",
  "Other currencies only by arrangement with the operator; such payments are marked as not checked.",
  "Transaction ids of payments, payouts and refunds are public for ever and link an agent to a chain account.",
];

export const DEV_CHAIN_LIMIT = "This network runs on a dev chain: nothing here is worth anything.";

export const INVOICE_EXACT =
  "Send exactly this amount in one block. The last 24 digits name your order; an amount that a wallet rounded is not recognised without the operator. If a part has come, send to_complete_raw.";

export const HOW_TO_CHECK_RESERVES =
  "Look the address up on any Nano node; balance plus receivable should be at least owed_raw.";

export const LEDGER_NOTE = "USD figures are list prices. Every entry is in the sealed chain.";
