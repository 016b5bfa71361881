import assert from "node:assert/strict";
import { test } from "node:test";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { proposed } from "../../../platform/ledger/decide.ts";
import { orderDelivered, orderReleased, orderUndelivered } from "./delivering.ts";
import { orderDisputed, orderHeld, orderResolved } from "./holding.ts";
import { type KnownOrder, openedOrder } from "./order-state.ts";
import { orderExpired, orderPaid } from "./paying.ts";

/** Times and sums that follow from an order, written out: the writer and the replay ask the same functions. */
const OPENED = openedOrder({
  order_id: 1,
  buyer: "agent_b",
  seller: "agent_s",
  price_usd_micro: 10_000_000,
  sla_hours: 72,
  expires_at: 1_000_000,
  due_raw: "100",
  seller_raw: "80",
});

const order = (facts: Partial<KnownOrder>): KnownOrder => ({ ...OPENED, ...facts });
const PAID = order({ state: "paid", deliver_by: 2_000_000, refund_at: 2_086_400 });
const DELIVERED = order({
  state: "delivered",
  deliver_by: 2_000_000,
  refund_at: 2_086_400,
  accept_by: 3_000_000,
  deliveries: 1,
});

test("a seller has the delivery time of the offer from the payment on, and a late one a day more", () => {
  const now = 1_500_000;
  const times = { deliver_by: 1_759_200, refund_at: 1_845_600 };
  assert.deepEqual(orderPaid.drafts?.(OPENED, now, {}), times);
  const { refuses } = orderPaid;
  const says = (changed: Partial<typeof times>) => {
    const body = { order_id: 1, received_raw: "100", made_at: now, ...times, ...changed };
    return orderPaid.rule?.(OPENED, proposed(body, now), { refuses, beyond: undefined });
  };
  assert.equal(says({}), undefined);
  for (const one of [-1, 1]) {
    assert.equal(says({ deliver_by: times.deliver_by + one }), refuses.deliver);
    assert.equal(says({ refund_at: times.refund_at + one }), refuses.refund);
  }
});

test("a delivery says whether it is late, and how long it can be looked at", () => {
  const table: readonly (readonly [KnownOrder, Seconds, number, 0 | 1, Seconds])[] = [
    [PAID, 1_999_999, 1, 0, 2_259_199],
    [PAID, 2_000_000, 1, 0, 2_259_200],
    [PAID, 2_000_001, 1, 1, 2_259_201],
    [DELIVERED, 2_913_599, 2, 1, 3_000_000],
    [DELIVERED, 2_913_600, 2, 1, 3_000_000],
    [DELIVERED, 2_913_601, 2, 1, 3_000_001],
  ];
  for (const [before, now, n, late, accept_by] of table) {
    assert.deepEqual(orderDelivered.drafts?.(before, now, {}), { n, late, accept_by }, `${now}`);
    const { refuses } = orderDelivered;
    const says = (changed: object) => {
      const body = { order_id: 1, n, content_commitment: "", bytes: 1, late, accept_by };
      const entry = proposed({ ...body, made_at: now, ...changed }, now);
      return orderDelivered.rule?.(before, entry, { refuses, beyond: undefined });
    };
    assert.equal(says({}), undefined);
    assert.equal(says({ n: n + 1 }), refuses.count);
    assert.equal(says({ late: late === 1 ? 0 : 1 }), refuses.late);
    assert.equal(says({ accept_by: accept_by - 1 }), refuses.accept);
    assert.equal(says({ accept_by: accept_by + 1 }), refuses.accept);
  }
});

test("a hold says what it stops, and how much time was left", () => {
  const table: readonly (readonly [KnownOrder, Seconds, "paid" | "delivered", number])[] = [
    [PAID, 2_086_399, "paid", 1],
    [PAID, 2_000_000, "paid", 86_400],
    [DELIVERED, 2_999_999, "delivered", 1],
    [DELIVERED, 2_740_800, "delivered", 259_200],
  ];
  for (const [before, now, from_state, remaining_s] of table) {
    const drafts = { n: 1, from_state, remaining_s };
    assert.deepEqual(orderHeld.drafts?.(before, now, {}), drafts, `${now}`);
    assert.deepEqual(orderDisputed.drafts?.(before, now, {}), drafts, `${now}`);
    const { refuses } = orderHeld;
    const says = (changed: object) => {
      const body = { order_id: 1, ...drafts, reason_sha256: "", made_at: now, ...changed };
      return orderHeld.rule?.(before, proposed(body, now), { refuses, beyond: undefined });
    };
    assert.equal(says({}), undefined);
    assert.equal(says({ remaining_s: remaining_s - 1 }), refuses.left);
    assert.equal(says({ remaining_s: remaining_s + 1 }), refuses.left);
    const held = orderHeld.moves(
      before,
      proposed({ ...drafts, order_id: 1, reason_sha256: "", made_at: now }, now),
    );
    assert.equal(held.held_until, now + 2_592_000);
  }
});

test("an order that goes on has the time of its hold again, and three days at least", () => {
  const table: readonly (readonly [remaining_s: number, later_s: number])[] = [
    [1, 100 + 259_199],
    [259_199, 101],
    [259_200, 100],
    [259_201, 100],
  ];
  for (const [remaining_s, later_s] of table) {
    const hold = { from_state: "delivered", remaining_s, at: 2_500_000, isDispute: true } as const;
    const held = order({ ...DELIVERED, state: "held", held_until: 5_092_000, holds: 1, hold });
    const now = 2_500_100;
    const body = { order_id: 1, n: 1, outcome: "resume", by: "operator" } as const;
    const entry = proposed({ ...body, reason_sha256: "", made_at: now }, now);
    assert.deepEqual(orderResolved.moves(held, entry), {
      state: "delivered",
      held_until: null,
      hold: null,
      deliver_by: 2_000_000 + later_s,
      refund_at: 2_086_400 + later_s,
      accept_by: 3_000_000 + later_s,
    });
  }
});

test("a time is over in its last second, and not before", () => {
  const held = order({ ...DELIVERED, state: "held", held_until: 5_000_000, holds: 1 });
  const given = { order_id: 1, made_at: 0 };
  const table: readonly (readonly [ends_at: Seconds, says: (now: Seconds) => unknown])[] = [
    [
      1_000_600,
      (now) =>
        orderExpired.rule?.(OPENED, proposed(given, now), {
          refuses: orderExpired.refuses,
          beyond: undefined,
        }),
    ],
    [
      2_086_400,
      (now) =>
        orderUndelivered.rule?.(PAID, proposed(given, now), {
          refuses: orderUndelivered.refuses,
          beyond: undefined,
        }),
    ],
    [
      3_000_000,
      (now) =>
        orderReleased.rule?.(DELIVERED, proposed({ ...given, by: "deadline" as const }, now), {
          refuses: orderReleased.refuses,
          beyond: undefined,
        }),
    ],
    [
      5_000_000,
      (now) =>
        orderResolved.rule?.(
          held,
          proposed(
            { ...given, n: 1, outcome: "resume", by: "deadline", reason_sha256: "" } as const,
            now,
          ),
          { refuses: orderResolved.refuses, beyond: undefined },
        ),
    ],
  ];
  for (const [ends_at, says] of table) {
    assert.notEqual(says(ends_at - 1), undefined, `${ends_at}: a second is left`);
    assert.equal(says(ends_at), undefined, `${ends_at}`);
    assert.equal(says(ends_at + 1), undefined, `${ends_at}`);
  }
  for (const [ends_at, before, state] of [
    [2_086_400, PAID, "refund_due"],
    [3_000_000, DELIVERED, "released"],
  ] as const) {
    const says = (now: Seconds) => {
      const drafts = {
        n: 0,
        late: 0,
        accept_by: 0,
        ...orderDelivered.drafts?.(before, now, {}),
      } as const;
      const body = { ...given, ...drafts, content_commitment: "", bytes: 1 };
      const { refuses } = orderDelivered;
      return orderDelivered.rule?.(before, proposed(body, now), { refuses, beyond: undefined });
    };
    assert.equal(says(ends_at - 1), undefined);
    assert.deepEqual(says(ends_at)?.details, [{ field: "state", problem: state }]);
  }
});
