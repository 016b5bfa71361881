import type { MarketCounters } from "../../market/payouts/payables.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";

/** Work that waits for the operator; an age is 0 where nothing waits. */
export function marketMeasures(look: () => Promise<MarketCounters>): Measure[] {
  const measure = (name: keyof MarketCounters, help: string): Measure => ({
    name: `cairn_${name}`,
    help,
    collect: async () => (await look())[name] ?? 0,
  });
  return [
    measure("market_held_orders", "Orders whose clock the operator has stopped."),
    measure("market_oldest_hold_s", "Age of the oldest hold in seconds."),
    measure("market_oldest_payout_s", "Age of the oldest payout that is owed, in seconds."),
    measure("market_oldest_refund_s", "Age of the oldest refund that is owed, in seconds."),
    measure("market_oldest_unmatched_s", "Age of the oldest payment without an order."),
    measure("market_oldest_doubt_s", "Age of the oldest transfer that is not proven."),
    measure("market_doubtful_transfers", "Transfers that nodes list and none proves."),
    measure("market_unchecked_settlements", "Payouts and refunds on the operator's word."),
  ];
}
