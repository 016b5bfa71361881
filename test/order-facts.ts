import type { KnownOrder } from "../src/market/steps/order-state.ts";
import { ORDER_STEPS } from "../src/market/steps/order-steps.ts";

const STEPS = new Set(ORDER_STEPS.map(({ kind }) => kind.kind));

export const isStep = (kind: string): boolean => STEPS.has(kind);

/** Services that live at once have orders with the same numbers; an invoice is of one ledger alone. */
export const isOfLedger = (own: Partial<KnownOrder>, order: Partial<KnownOrder>): boolean =>
  own.due_raw === order.due_raw;

/**
 * The facts of an order on which its writer decided, and the same ones of the replay. A writer has only what a step
 * reads, and more columns of its row; in a replay a payment also has its role, and a hold its reason.
 */
export function orderFacts(own: object, order: object): readonly [object, object] {
  const common = Object.keys(own).filter((name) => Object.hasOwn(order, name));
  const pick = (all: object) =>
    bare(Object.fromEntries(Object.entries(all).filter(([name]) => common.includes(name))));
  return [pick(own), pick(order)];
}

function bare({ hold, paid, ...facts }: Partial<KnownOrder>): Partial<KnownOrder> {
  return {
    ...facts,
    ...(paid && { paid: paid.map(({ from, back, amount_raw }) => ({ from, back, amount_raw })) }),
    ...(hold && {
      hold: {
        from_state: hold.from_state,
        remaining_s: hold.remaining_s,
        at: hold.at,
        isDispute: hold.isDispute,
      },
    }),
  };
}
