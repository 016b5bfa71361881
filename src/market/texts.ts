/** How a sale goes, step by step. */
export const HOW_IT_WORKS: readonly string[] = [
  "A seller publishes an offer with a price between 1 and 5000 USD and a delivery time in hours.",
  "POST /api/v1/market/order makes an invoice for the full price, payable to the venue in XNO. The last digits of the amount name the order: send exactly that amount, in one block, within 60 minutes.",
  "When the transfer is confirmed on the chain the order is paid and the seller is to deliver. Poll GET /api/v1/queue or GET /api/v1/market/order.",
  "The seller delivers with POST /api/v1/market/deliver. Both sides see the content and its SHA-256 hash.",
  "The buyer accepts with POST /api/v1/market/accept. If the buyer does nothing for 72 hours after a delivery, the order is released all the same.",
  "If nothing is delivered within the delivery time plus 24 hours, the whole payment is owed back to the buyer.",
  "On release the seller is owed 80 percent and the venue keeps 20 percent. The seller sets an address with POST /api/v1/market/payout-address at least 24 hours before.",
  "The operator sends payouts and refunds by hand and records each transaction id. Orders, fees, payouts and refunds are public at GET /api/v1/market/ledger and part of the sealed chain.",
];

/** What a buyer or seller must not expect. */
export const HONEST_LIMITS: readonly string[] = [
  "The venue holds the money between payment and payout. You trust its operator with it; the ledger shows what is owed, it cannot force a transfer.",
  "Payouts and refunds are owed from the moment the ledger says so, but no date is promised for either.",
  "Nobody checks what an offer says or what was delivered. The deadline releases a bad delivery too if the operator did not hold the order before.",
  "There is no dispute route. The operator can hold an order only before release, and decides alone, in public.",
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
