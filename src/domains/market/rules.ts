import { micro } from "../../platform/kernel/money.ts";
import { DAY_S, days, HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";

/** A price, in USD with at most 2 decimals, so that its fifths are exact (spec: Limits, Market). */
export const PRICE_MIN = micro<"usd">(1_000_000n);
export const PRICE_NONE = micro<"usd">(0n);
export const PRICE_MAX = micro<"usd">(5_000_000_000n);
export const PRICE_STEP = 10_000n;
export const FEE_PERCENT = 20;

export const CAPABILITY_LENGTH_MAX = 160;
export const TITLE_LENGTH_MAX = 120;
export const DESCRIPTION_LENGTH_MAX = 4_000;
export const SLA_HOURS_MAX = 720;
export const SLA_HOURS_DEFAULT = 72;

/** Of a delivery, as UTF-8; and of the request that brings it, whatever its encoder escapes. */
export const DELIVERY_MAX_BYTES = 65_536;
export const DELIVER_BODY_MAX_BYTES = 512 * 1_024;
export const DELIVERY_SALT_BYTES = 16;
export const DELIVERIES_MAX = 4;

export const PAY_WITHIN_S = HOUR_S;
/** An order may expire so long after its invoice: what was sent in the last second has been seen by then. */
export const EXPIRY_GRACE_S = 10 * MINUTE_S;
export const ACCEPT_WITHIN_S = days(3);
/** The shortest time in which a later delivery can be judged. */
export const REACCEPT_WITHIN_S = DAY_S;
/** A late seller may still deliver for so long. */
export const LATE_DELIVERY_S = DAY_S;

/** An order shows so many of its payments, of its refunds and of its steps, the newest. */
export const ORDER_LISTS_MAX = 100;
/** A hold that the operator does not end ends by itself, and the order goes on. */
export const HOLD_MAX_S = days(30);
/** What a party has left after a hold, at least: nothing is released or refunded the moment it ends. */
export const AFTER_HOLD_MIN_S = days(3);

/** The chain is first asked again so long after a transfer was recorded, and then every hour. */
export const RECHECK_FIRST_S = 10 * MINUTE_S;
/** A transfer that the quorum does not know after so long was never sent. */
export const UNKNOWN_MAX_S = days(3);

/** Orders of one buyer that may wait for payment at once. */
export const UNPAID_ORDERS_MAX = 20;

/** A list with `max_usd` looks at so many offers at most, from the newest on. */
export const PRICE_SCAN_MAX = 10_000;

/** The escrow account of an invoice is watched for so long. */
export const INVOICE_WATCH_S = days(30);
/** While the last complete scan began longer ago than this, nobody is asked to pay. */
export const SCAN_AGE_MAX_S = 10 * MINUTE_S;

export const REASON_LENGTH_MAX = 500;
export const ADDRESS_LENGTH_MAX = 65;

export const STATES = [
  "awaiting_payment",
  "paid",
  "delivered",
  "released",
  "paid_out",
  "held",
  "refund_due",
  "refunded",
  "expired",
  "withdrawn",
] as const;
export type State = (typeof STATES)[number];

/** Whether an order has ended before anything came for it. */
export const isUnpaidEnd = (state: State): boolean => state === "expired" || state === "withdrawn";

export const ROLES = ["buyer", "seller"] as const;
export type Role = (typeof ROLES)[number];

export const ACTIONS = [
  "pay",
  "withdraw",
  "deliver",
  "accept",
  "dispute",
  "withdraw_dispute",
  "refund",
  "set_payout_address",
] as const;
export type Action = (typeof ACTIONS)[number];

export const REFUND_WHYS = [
  "undelivered",
  "operator",
  "seller",
  "late",
  "extra",
  "surplus",
  "short",
] as const;
export type RefundWhy = (typeof REFUND_WHYS)[number];

/** Whether a debt is for what the order was paid with; any other one ends and begins no state. */
export const isOwnDebt = (why: RefundWhy): boolean => why !== "surplus" && why !== "extra";

/** How a hold ends. */
export const OUTCOMES = ["release", "refund", "resume"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The authors of a hold's end. A party ends only one that its buyer's dispute began. */
export const ENDED_BY = ["operator", "deadline", ...ROLES] as const;
export type EndedBy = (typeof ENDED_BY)[number];

/** The end of a hold; its reason is public, and sealed as a hash. */
export interface HoldEnd {
  readonly outcome: Outcome;
  readonly by: EndedBy;
  readonly reason: string;
}

/**
 * How the parties end a dispute without the operator: each gives up what is its own to give. A party's reason is always
 * the same sentence, so that nobody puts another into its mouth. Entries have its hash: it never changes.
 */
export const AGREEMENTS = {
  taken_back: {
    outcome: "resume",
    by: "buyer",
    reason: "The buyer has taken its dispute back.",
    reason_sha256: "0d50deecd24aa64053f9594b417169803a156c7394b7008502f0a36395b16936",
  },
  accepted: {
    outcome: "release",
    by: "buyer",
    reason: "The buyer has accepted the delivery.",
    reason_sha256: "d8548372b71c7fd97dc508f8ba7e207b9149cb31ff26c331fe2ae10f196bf9bb",
  },
  refunded: {
    outcome: "refund",
    by: "seller",
    reason: "The seller gives the payment back.",
    reason_sha256: "6d49f08c9847f945cd19b22bd680f98ac7c2bd0bee4e65b72943038b6d78aa80",
  },
} as const satisfies Readonly<Record<string, HoldEnd & { readonly reason_sha256: string }>>;

export const PAYMENT_ROLES = ["payment", "manual", "late", "extra"] as const;
export type PaymentRole = (typeof PAYMENT_ROLES)[number];

/** Whether a payment counts towards the price. */
export const isCounted = (role: PaymentRole): role is "payment" | "manual" =>
  role === "payment" || role === "manual";

/** Why a transfer that nodes list is not booked. `too_many`: its order has 100 payments, and it is small. */
export const DOUBT_WHYS = ["unconfirmed", "unknown", "contradicted", "silent", "too_many"] as const;
export type DoubtWhy = (typeof DOUBT_WHYS)[number];

/** What the chain says later of a payout or refund that was recorded unchecked. `silence`: no node has answered. */
export type RecheckEnd = "ok" | "mismatch" | "not_found" | "silence";

/** How old a transfer on the operator's word is at least when each is said of it. */
export const RECHECK_WAITS_S: Readonly<Record<RecheckEnd, Seconds>> = {
  ok: RECHECK_FIRST_S,
  mismatch: RECHECK_FIRST_S,
  not_found: UNKNOWN_MAX_S,
  silence: days(30),
};

/** Why a seller cannot be paid yet. */
export const BLOCKS = ["no_address", "address_too_new"] as const;
export type Block = (typeof BLOCKS)[number];

/** What the clock and the next move depend on. */
export interface Standing {
  readonly state: State;
  readonly received_raw: string;
  readonly expires_at: Seconds;
  readonly refund_at: Seconds | null;
  readonly accept_by: Seconds | null;
  readonly held_until: Seconds | null;
  readonly deliveries: number;
  /** 1 once its buyer has disputed it. */
  readonly disputed: number;
}

/** What the clock does to an order if nobody acts, and when. */
interface Deadline {
  readonly deadline_at: Seconds | null;
  readonly on_deadline: State | null;
}

export function deadlineOf(order: Standing): Deadline {
  const { state, received_raw, expires_at, refund_at, accept_by, held_until } = order;
  if (state === "awaiting_payment")
    return {
      deadline_at: expires_at,
      on_deadline: received_raw === "0" ? "expired" : "refund_due",
    };
  if (state === "paid") return { deadline_at: refund_at, on_deadline: "refund_due" };
  if (state === "delivered") return { deadline_at: accept_by, on_deadline: "released" };
  if (state === "held")
    return {
      deadline_at: held_until,
      on_deadline: order.deliveries === 0 ? "paid" : "delivered",
    };
  return { deadline_at: null, on_deadline: null };
}

/** The state of an order whose time is over: the one to which the clock moves it now. */
export const endedState = (order: Standing): State => deadlineOf(order).on_deadline ?? order.state;

/** No scan can have begun later: nodes' clocks differ by less. A row that says so was edited. */
export const isAhead = (scanned_at: Seconds, now: Seconds): boolean => scanned_at > now + MINUTE_S;

/**
 * Whether the clock has moved an order on. `scanned_at` is when the last complete scan of its escrow
 * account began: what was paid in time has been found by then, however long the node was down.
 */
export function isDue(order: Standing, now: Seconds, scanned_at: Seconds | null): boolean {
  const { deadline_at } = deadlineOf(order);
  if (deadline_at === null) return false;
  if (order.state !== "awaiting_payment") return now >= deadline_at;
  const end = deadline_at + EXPIRY_GRACE_S;
  return now >= end && scanned_at !== null && scanned_at > end && !isAhead(scanned_at, now);
}

interface Acting extends Standing {
  /** Whether it is held because its buyer has disputed it, and not by the operator. */
  readonly isContested: boolean;
}

/** What a party may do now; `blocked` says why its seller cannot be paid. */
export function actionsOf(
  order: Acting,
  role: Role,
  blocked: Block | null,
  now: Seconds,
): Action[] {
  const { state, deliveries, isContested } = order;
  const isOpen = now < (deadlineOf(order).deadline_at ?? Number.POSITIVE_INFINITY);
  if (role === "buyer" && state === "awaiting_payment")
    return [...(isOpen ? (["pay"] as const) : []), ...withdrawalOf(order)];
  if (!isOpen) return [];
  if (role === "buyer") {
    if (isContested) return ["accept", "withdraw_dispute"];
    return state === "delivered"
      ? ["accept", ...(order.disputed === 1 ? [] : (["dispute"] as const))]
      : [];
  }
  if (isContested) return ["refund"];
  if (state === "paid" || (state === "delivered" && deliveries < DELIVERIES_MAX))
    return ["deliver"];
  return state === "released" && blocked === "no_address" ? ["set_payout_address"] : [];
}

/** An order of which a part has come is not taken back: it goes on, or the part is owed back. */
const withdrawalOf = ({ received_raw }: Standing): readonly "withdraw"[] =>
  received_raw === "0" ? ["withdraw"] : [];

/** The kinds of entry that an order's life is made of; `GET /market/ledger` shows these. */
export const ORDER_KINDS = [
  "order",
  "order_payment",
  "order_paid",
  "order_expired",
  "order_undelivered",
  "order_delivered",
  "order_released",
  "fee",
  "payout_due",
  "payout",
  "refund_due",
  "refund",
  "order_held",
  "order_resolved",
  "payout_reopened",
  "refund_reopened",
  "transfer_checked",
  "debt_settled",
  "order_disputed",
] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

export const isOrderKind = (kind: string): kind is OrderKind =>
  ORDER_KINDS.some((each) => each === kind);

/** Newest orders of an agent on each side of which its page counts the disputes. */
export const DISPUTE_ORDERS_MAX = 500;
