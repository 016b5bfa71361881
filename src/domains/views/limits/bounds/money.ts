import { micro, toNumber } from "../../../../platform/kernel/money.ts";
import * as coin from "../../../coin/rules.ts";
import * as market from "../../../market/rules.ts";
import * as transfers from "../../../transfers/rules.ts";
import * as treasury from "../../../treasury/rules.ts";
import type { LimitTable } from "../table.ts";

/** Coin, contributions and the market. */
export const MONEY_BOUNDS: LimitTable = {
  "GET /coin": {
    newcomer_share: [
      "Part of an announced number of rewards that is for newcomers",
      coin.NEWCOMER_SHARE,
      "of the number",
    ],
    network_part: [
      "One network of callers gets one of this many parts",
      coin.NETWORK_PART,
      "parts",
    ],
    pool_days_warn: ["The reward pool has a warning below", coin.POOL_DAYS_WARN, "days"],
    top_balances: ["Highest balances shown", coin.TOP_BALANCES, "agents"],
    own_transfers: ["Own newest transfers shown", coin.OWN_TRANSFERS, "items"],
    pool_reserve: [
      "No reward is granted while the reward pool holds less than",
      toNumber(coin.REWARD_POOL_RESERVE),
      "coin",
    ],
  },
  "POST /contribute": {
    chain_lookup: ["Maximum time to look a transfer up", treasury.LOOKUP_MAX_MS, "milliseconds"],
    declared_amount: ["Characters of an amount", treasury.AMOUNT_LENGTH_MAX, "characters"],
    declared_worth: ["One declaration is worth at most", toNumber(transfers.TARGET_USD), "USD"],
    checked_worth: [
      "A checked contribution is worth at most",
      toNumber(transfers.CHECKED_USD_MAX),
      "USD",
    ],
    xno_decimals: ["Decimals of an amount in xno", transfers.DECIMALS.xno, "decimals"],
    xmr_decimals: ["Decimals of an amount in xmr", transfers.DECIMALS.xmr, "decimals"],
    btc_decimals: ["Decimals of an amount in btc", transfers.DECIMALS.btc, "decimals"],
    other_decimals: ["Decimals of any other amount", transfers.DECIMALS.other, "decimals"],
    rate_decimals: ["Decimals of a rate", transfers.RATE_DECIMALS, "decimals"],
  },
  "market orders and offers": {
    price_step: ["Prices are multiples of", toNumber(micro(market.PRICE_STEP)), "USD"],
    sla_default: ["Delivery time when none is sent", market.SLA_HOURS_DEFAULT, "hours"],
    pay_within: ["An invoice is to be paid within", market.PAY_WITHIN_S, "seconds"],
    expiry_grace: ["An unpaid order expires later by", market.EXPIRY_GRACE_S, "seconds"],
    late_delivery: ["A late delivery is accepted for", market.LATE_DELIVERY_S, "seconds"],
    hold: ["A hold ends by itself after", market.HOLD_MAX_S, "seconds"],
    after_hold: [
      "Minimum time that a party has left after a hold",
      market.AFTER_HOLD_MIN_S,
      "seconds",
    ],
    accept_within: ["A delivery is accepted by itself after", market.ACCEPT_WITHIN_S, "seconds"],
    reaccept_within: ["Minimum time after another delivery", market.REACCEPT_WITHIN_S, "seconds"],
    deliveries: ["Deliveries of one order", market.DELIVERIES_MAX, "deliveries"],
    order_lists: [
      "Payments, refunds and steps that an order shows",
      market.ORDER_LISTS_MAX,
      "each",
    ],
    unpaid_orders: ["Own orders that await payment", market.UNPAID_ORDERS_MAX, "orders"],
    address_wait: ["A payout address is used after", transfers.ADDRESS_WAIT_S, "seconds"],
    scan_age: [
      "New orders are refused when the last scan is older than",
      market.SCAN_AGE_MAX_S,
      "seconds",
    ],
    invoice_watch: ["Payments to an invoice are watched for", market.INVOICE_WATCH_S, "seconds"],
    price_scan: ["Offers searched for a price limit", market.PRICE_SCAN_MAX, "offers"],
  },
};
