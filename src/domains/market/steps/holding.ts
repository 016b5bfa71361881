import type { Seconds } from "../../../platform/kernel/time.ts";
import { type Drafted, fault, refusal } from "../../../platform/ledger/transition.ts";
import * as entries from "../entries.ts";
import * as rules from "../rules.ts";
import { owed } from "./debts.ts";
import type { Columns } from "./order-state.ts";
import { inState, isOpen, isOver, stateRefusal, step, writtenAt } from "./step.ts";

/** A hold of now. An order in any other state is refused before it is read. */
const holdOf = ({ state, holds, refund_at, accept_by }: Columns, now: Seconds) => {
  const from_state = state === "paid" ? state : ("delivered" as const);
  const ends_at = from_state === "paid" ? refund_at : accept_by;
  return { n: holds + 1, from_state, remaining_s: (ends_at ?? now) - now };
};

/** Whether a hold says how much time was left. */
function isLeft(order: Columns, remaining_s: number, { earliest, latest }: Drafted): boolean {
  const [most, least] = [holdOf(order, earliest), holdOf(order, latest)];
  return least.remaining_s <= remaining_s && remaining_s <= most.remaining_s;
}

const COUNT = fault("An order's holds are counted from 1, and each says what it stops.");
const LEFT = fault("A hold says how much time was left.");

export const orderHeld = step(entries.orderHeld, {
  refuses: {
    state: stateRefusal,
    count: COUNT,
    left: LEFT,
  },
  drafts: holdOf,
  rule(order, entry, { refuses }) {
    const { n, from_state, remaining_s } = entry.body;
    if (order.state !== "paid" && order.state !== "delivered")
      return inState(refuses.state, order.state);
    if (n !== order.holds + 1 || from_state !== order.state) return refuses.count;
    return isLeft(order, remaining_s, entry) ? undefined : refuses.left;
  },
  moves: (order, entry) => ({
    state: "held",
    holds: order.holds + 1,
    held_until: writtenAt(entry) + rules.HOLD_MAX_S,
    hold: { ...entry.body, at: writtenAt(entry), isDispute: false },
  }),
});

export const orderDisputed = step(entries.orderDisputed, {
  refuses: {
    state: stateRefusal,
    once: refusal("already_disputed", "You have disputed this order; it can be done once."),
    count: COUNT,
    left: LEFT,
  },
  drafts: holdOf,
  rule(order, entry, { refuses }) {
    const { n, remaining_s } = entry.body;
    if (order.disputed === 1) return refuses.once;
    if (order.state !== "delivered") return inState(refuses.state, order.state);
    if (!isOpen(order.accept_by, entry)) return inState(refuses.state, rules.endedState(order));
    if (n !== order.holds + 1) return refuses.count;
    return isLeft(order, remaining_s, entry) ? undefined : refuses.left;
  },
  moves: (order, entry) => ({
    state: "held",
    holds: order.holds + 1,
    held_until: writtenAt(entry) + rules.HOLD_MAX_S,
    hold: { ...entry.body, from_state: "delivered", at: writtenAt(entry), isDispute: true },
    disputed: 1,
  }),
  actor: ({ buyer }) => buyer,
});

/** How a party may end a dispute. */
const agreementOf = ({ by, outcome }: Pick<rules.HoldEnd, "by" | "outcome">) =>
  Object.values(rules.AGREEMENTS).find((each) => each.by === by && each.outcome === outcome);

export const orderResolved = step(entries.orderResolved, {
  refuses: {
    state: stateRefusal,
    last: fault("The hold that ends is the last one."),
    nothing: refusal("invalid_state", "Nothing was delivered, so there is nothing to pay for."),
    early: fault("A hold ends by itself after 30 days, and the order goes on."),
    operators: refusal(
      "invalid_state",
      "The operator holds this order, and no dispute of its buyer: only the operator ends that, or the deadline.",
    ),
    party: fault("A buyer takes its dispute back or accepts, and a seller gives the payment back."),
    words: fault("A party ends a dispute without words of its own."),
  },
  asks: ["hold"],
  takes: ["seller", "paid", "debts"],
  drafts: ({ holds: n }) => ({ n }),
  rule(order, entry, { refuses }) {
    const { n, outcome, by } = entry.body;
    if (order.state !== "held") return inState(refuses.state, order.state);
    if (n !== order.holds) return refuses.last;
    if (by === "buyer" || by === "seller") {
      if (order.hold?.isDispute !== true) return inState(refuses.operators, order.state);
      const agreement = agreementOf(entry.body);
      if (agreement === undefined) return refuses.party;
      return agreement.reason_sha256 === entry.body.reason_sha256 ? undefined : refuses.words;
    }
    if (outcome === "release" && order.deliveries === 0) return refuses.nothing;
    const isEarly = outcome !== "resume" || !isOver(order.held_until, entry);
    return by === "deadline" && isEarly ? refuses.early : undefined;
  },
  moves(order, entry) {
    const { outcome } = entry.body;
    if (outcome !== "resume" || order.hold === null)
      return { held_until: null, state: outcome === "refund" ? "refund_due" : order.state };
    const { from_state, remaining_s, at: held_at } = order.hold;
    const held_s = writtenAt(entry) - held_at + Math.max(0, rules.AFTER_HOLD_MIN_S - remaining_s);
    const later = (time: Seconds | null) => (time === null ? null : time + held_s);
    return {
      state: from_state,
      held_until: null,
      hold: null,
      deliver_by: later(order.deliver_by),
      refund_at: later(order.refund_at),
      accept_by: later(order.accept_by),
    };
  },
  entails(after, { body: { outcome, by } }) {
    const { id: order_id } = after;
    if (outcome === "release") {
      const released = by === "buyer" ? "buyer" : "operator";
      return [{ kind: "order_released", body: { order_id, by: released } }];
    }
    if (outcome === "resume") return [];
    return owed(after, by === "seller" ? "seller" : "operator");
  },
  due: ({ held_until }, { body }) => (body.by === "deadline" ? held_until : null),
  actor: ({ buyer, seller }, { body }) => (body.by === "seller" ? seller : buyer),
  word: ({ body }) => (body.by === "operator" ? "the operator's outcomes" : undefined),
});
