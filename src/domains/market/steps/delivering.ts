import type { Seconds } from "../../../platform/kernel/time.ts";
import { fault, refusal } from "../../../platform/ledger/transition.ts";
import { releaseOf } from "../amounts.ts";
import * as entries from "../entries.ts";
import * as rules from "../rules.ts";
import { owed } from "./debts.ts";
import type { Columns, KnownOrder } from "./order-state.ts";
import { inState, isOpen, isOver, more, stateRefusal, step, writtenAt } from "./step.ts";

/** A delivery of now: the first starts the time to look at it, and a later one leaves a day of it at least. */
const deliveryOf = (
  { deliveries, deliver_by, accept_by }: Columns,
  now: Seconds,
): { readonly n: number; readonly late: 0 | 1; readonly accept_by: Seconds } => ({
  n: deliveries + 1,
  late: deliver_by !== null && now > deliver_by ? 1 : 0,
  accept_by:
    accept_by === null
      ? now + rules.ACCEPT_WITHIN_S
      : Math.max(accept_by, now + rules.REACCEPT_WITHIN_S),
});

export const orderDelivered = step(entries.orderDelivered, {
  refuses: {
    state: stateRefusal,
    limit: refusal("delivery_limit", `An order has at most ${rules.DELIVERIES_MAX} deliveries.`),
    count: fault("An order's deliveries are counted from 1."),
    late: fault("A delivery says whether it came after its time."),
    accept: fault("A buyer has 72 hours from the first delivery on, and 24 from a later one."),
  },
  drafts: deliveryOf,
  rule(order, entry, { refuses }) {
    const { state } = order;
    const { n, late, accept_by } = entry.body;
    if (state !== "paid" && state !== "delivered") return inState(refuses.state, state);
    const ends_at = state === "paid" ? order.refund_at : order.accept_by;
    if (!isOpen(ends_at, entry)) return inState(refuses.state, rules.endedState(order));
    if (order.deliveries >= rules.DELIVERIES_MAX) return refuses.limit;
    const first = deliveryOf(order, entry.earliest);
    const last = deliveryOf(order, entry.latest);
    if (n !== first.n) return refuses.count;
    if (late < first.late || late > last.late) return refuses.late;
    const isRight = first.accept_by <= accept_by && accept_by <= last.accept_by;
    return isRight ? undefined : refuses.accept;
  },
  moves: ({ deliveries }, { body: { accept_by } }) => ({
    state: "delivered",
    accept_by,
    deliveries: deliveries + 1,
  }),
  actor: ({ seller }) => seller,
});

export const orderUndelivered = step(entries.orderUndelivered, {
  takes: ["paid", "debts"],
  refuses: { state: stateRefusal, early: fault("The time to deliver is not over.") },
  rule(order, entry, { refuses }) {
    if (order.state !== "paid") return inState(refuses.state, order.state);
    return isOver(order.refund_at, entry) ? undefined : refuses.early;
  },
  moves: () => ({ state: "refund_due" }),
  entails: (after) => owed(after, "undelivered"),
  due: ({ refund_at }) => refund_at,
});

export const orderReleased = step(entries.orderReleased, {
  takes: ["seller"],
  refuses: {
    state: stateRefusal,
    operator: fault("The operator releases an order at the end of a hold only."),
    early: fault("The time to look at the delivery is not over."),
  },
  rule(order, entry, { refuses }) {
    const isEndOfHold = order.next.length > 0;
    if (isEndOfHold) return undefined;
    if (entry.body.by === "operator") return refuses.operator;
    if (order.state !== "delivered") return inState(refuses.state, order.state);
    const isFree = entry.body.by === "buyer" || isOver(order.accept_by, entry);
    return isFree ? undefined : refuses.early;
  },
  moves: (_, entry) => ({ state: "released", released_at: writtenAt(entry) }),
  entails(after) {
    const { fee, payoutDue } = releaseOf(after, after.seller);
    return [
      { kind: "fee", body: fee },
      { kind: "payout_due", body: payoutDue },
    ];
  },
  due: ({ accept_by }, { body }) => (body.by === "deadline" ? accept_by : null),
  actor: ({ buyer }) => buyer,
});

const fromEscrow = (
  { escrow_raw }: Columns,
  { body }: { readonly body: { readonly amount_raw: string } },
): Partial<KnownOrder> => ({ escrow_raw: more(escrow_raw, -BigInt(body.amount_raw)) });

export const fee = step(entries.fee, { isEntailed: true, refuses: {}, moves: fromEscrow });
export const payoutDue = step(entries.payoutDue, {
  isEntailed: true,
  refuses: {},
  moves: fromEscrow,
});
