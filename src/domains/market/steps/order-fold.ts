import { madeAt } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { BINDS_AFTER_S, type Drafted } from "../../../platform/ledger/transition.ts";
import { COLUMNS, type Columns, type KnownOrder, openedOrder } from "./order-state.ts";
import { ORDER_STEPS } from "./order-steps.ts";

/** An entry of an order. */
export interface OrderEntry {
  readonly kind: string;
  readonly ref: string;
  readonly body: Drafted["body"];
  /** When it got its place; 0 before it has one, as kinds that look at the time seal their writer's. */
  readonly at: Seconds;
}

/** A method, so that it takes the bodies of all kinds. */
const FIRST: { open(body: Drafted["body"]): KnownOrder } = { open: openedOrder };

/** The order that the body of its first entry opens. */
export const orderOpened = (body: Drafted["body"]): KnownOrder => FIRST.open(body);

const STEPS = new Map(ORDER_STEPS.map((each) => [each.kind.kind, each]));

/** An order as its own entries make it, oldest first, and nothing else; null where they begin in no order. */
export function orderOf([first, ...steps]: readonly OrderEntry[]): KnownOrder | null {
  return first?.kind === "order" ? steps.reduce(orderAfter, orderOpened(first.body)) : null;
}

/** An order after its next entry. */
export function orderAfter(order: KnownOrder, entry: OrderEntry): KnownOrder {
  const step = STEPS.get(entry.kind);
  if (step === undefined) return order;
  const made_at = madeAt(step.kind, entry.body) ?? entry.at;
  const at = Math.max(entry.at, made_at);
  const times = { at, earliest: made_at, latest: made_at, binds_after_s: BINDS_AFTER_S };
  const drafted = { ...entry, ...times, isLate: false };
  return { ...order, ...step.moves(order, drafted) };
}

/** Whether a stored order is the one that its entries make. */
export const isAsMade = (stored: Columns, made: KnownOrder): boolean =>
  COLUMNS.every((column) => stored[column] === made[column]);
