import { type Figure, readFigures } from "../../domains/market/accounts/figures.ts";
import { type MarketCounters, marketCounters } from "../../domains/market/payouts/payables.ts";
import { STATES } from "../../domains/market/rules.ts";
import type { Clock, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import { shared } from "./shared.ts";

interface Parts {
  readonly read: Db;
  readonly clock: Pick<Clock, "now">;
  readonly settings: Pick<Context["settings"], "escrowKey" | "payWithin_s">;
}

/** Work that waits for the operator; an age is 0 where nothing waits. */
export function marketMeasures({ read, clock, settings }: Parts): Measure[] {
  const counters = shared(() => marketCounters(read, { clock, settings }));
  const measure = (name: Measure["name"], help: string, of: keyof MarketCounters): Measure => ({
    name,
    help,
    collect: async () => (await counters())[of] ?? 0,
  });
  return [
    {
      name: "cairn_orders",
      help: "Orders by state.",
      async collect() {
        const figure = await readFigures(read);
        return STATES.map((state) => [
          { state },
          Number(figure(`orders_${state}` satisfies Figure)),
        ]);
      },
    },
    measure("cairn_market_payouts_due", "Payouts that are owed.", "market_payouts_due"),
    measure("cairn_market_refunds_due", "Debts to buyers.", "market_refunds_due"),
    measure(
      "cairn_market_unmatched_payments",
      "Payments without an order.",
      "market_unmatched_payments",
    ),
    measure(
      "cairn_market_held_orders",
      "Orders whose clock the operator has stopped.",
      "market_held_orders",
    ),
    measure("cairn_market_oldest_hold_seconds", "Age of the oldest hold.", "market_oldest_hold_s"),
    {
      name: "cairn_market_oldest_debt_seconds",
      help: "Age of the oldest payout or refund that is owed.",
      async collect() {
        const { market_oldest_payout_s, market_oldest_refund_s } = await counters();
        return Math.max(market_oldest_payout_s ?? 0, market_oldest_refund_s ?? 0);
      },
    },
    {
      name: "cairn_market_pay_within_seconds",
      help: "The setting CAIRN_MARKET_PAY_WITHIN_H.",
      collect: () => settings.payWithin_s,
    },
    measure(
      "cairn_market_oldest_payout_seconds",
      "Age of the oldest payout that is owed.",
      "market_oldest_payout_s",
    ),
    measure(
      "cairn_market_oldest_refund_seconds",
      "Age of the oldest refund that is owed.",
      "market_oldest_refund_s",
    ),
    measure(
      "cairn_market_oldest_unmatched_seconds",
      "Age of the oldest payment without an order.",
      "market_oldest_unmatched_s",
    ),
    measure(
      "cairn_market_oldest_doubt_seconds",
      "Age of the oldest transfer that is not proven.",
      "market_oldest_doubt_s",
    ),
    measure(
      "cairn_market_doubtful_transfers",
      "Transfers that nodes list and none proves.",
      "market_doubtful_transfers",
    ),
    measure(
      "cairn_market_unreceived_transfers",
      "Transfers that waited in the escrow account's wallet at the last look.",
      "market_unreceived_transfers",
    ),
    measure(
      "cairn_market_unchecked_settlements",
      "Payouts and refunds on the operator's word.",
      "market_unchecked_settlements",
    ),
    measure(
      "cairn_market_scan_age_seconds",
      "Time since the last whole look at the market's account.",
      "market_scan_age_s",
    ),
  ];
}
