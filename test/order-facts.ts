import type { KnownOrder } from "../src/domains/market/steps/order-state.ts";
import { ORDER_STEPS } from "../src/domains/market/steps/order-steps.ts";

const STEPS = new Set(ORDER_STEPS.map(({ kind }) => kind.kind));

export const isStep = (kind: string): boolean => STEPS.has(kind);

/** Services that live at once have orders with the same numbers; an invoice is of one ledger alone. */
export const isOfLedger = (own: Partial<KnownOrder>, order: Partial<KnownOrder>): boolean =>
  own.due_raw === order.due_raw;

/** What a step was decided on. */
interface Before {
  readonly order: object;
  readonly beyond: unknown;
}

/**
 * What the writer of a step decided on, and the same of the replay. A writer has only those facts of an order that a
 * step reads, and more columns of its row; in a replay a payment also has its role, and a hold its reason.
 */
export function stepFacts(own: Before, seen: Before): readonly [Before, Before] {
  const common = Object.keys(own.order).filter((name) => Object.hasOwn(seen.order, name));
  const pick = ({ order, beyond }: Before) => ({
    order: bare(
      Object.fromEntries(Object.entries(order).filter(([name]) => common.includes(name))),
    ),
    beyond,
  });
  return [pick(own), pick(seen)];
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
