import type { Body } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import type { Draft } from "../../../platform/ledger/transition.ts";
import type { CoinState } from "../../coin/ledger.ts";
import { baseOf } from "../amounts.ts";
import type { order } from "../entries.ts";
import type { RefundWhy, State as StateOfOrder } from "../rules.ts";

/** An offer, as far as rules ask for it. */
export interface KnownOffer {
  readonly agent: string;
  readonly price_usd_micro: number;
  readonly sla_hours: number;
  readonly flagged: string | null;
  readonly isWithdrawn: boolean;
}

/** A payout address as its entry has it. */
export interface KnownAddress {
  readonly sha256: string;
  readonly usable_from: Seconds;
}

/** Money of one sender, and to whom it would go back; null stands for accounts that no entry names. */
interface Paid {
  readonly from: string | null;
  readonly back: string | null;
  readonly amount_raw: bigint;
}

/** A debt; null where nobody knows the account. */
export interface KnownDebt {
  readonly n: number;
  readonly to: string | null;
  readonly amount_raw: bigint;
  readonly why: RefundWhy;
  /** The number of the first debt that the same transfer has paid; null while it is open. */
  readonly sent: number | null;
  readonly isReopened: boolean;
}

/** A payout or a refund on the operator's word, of which the chain is asked again. */
export interface Unanswered {
  readonly at: Seconds;
  readonly amount_raw: string;
}

/** An order as its entries make it; the columns of `market_order` have the same names and types. */
export interface KnownOrder {
  readonly id: number;
  readonly buyer: string;
  readonly seller: string;
  readonly price_usd_micro: number;
  readonly sla_hours: number;
  readonly base_raw: string;
  readonly due_raw: string;
  /** The SHA-256 of the account that its buyer wants refunds to go to. */
  readonly refund_to: string | null;
  readonly state: StateOfOrder;
  readonly received_raw: string;
  readonly escrow_raw: string;
  readonly expires_at: Seconds;
  readonly deliver_by: Seconds | null;
  readonly refund_at: Seconds | null;
  readonly accept_by: Seconds | null;
  readonly held_until: Seconds | null;
  readonly payments: number;
  readonly deliveries: number;
  readonly refunds: number;
  readonly holds: number;
  readonly disputed: number;
  readonly paid: readonly Paid[];
  readonly debts: ReadonlyMap<number, KnownDebt>;
  readonly payouts: number;
  /** How often a creditor has said that it was paid in another way. */
  readonly settlements: number;
  readonly hold: {
    readonly from_state: "paid" | "delivered";
    readonly remaining_s: number;
    readonly at: Seconds;
    /** Whether its buyer has stopped the clock, and not the operator. */
    readonly isDispute: boolean;
  } | null;
  readonly released_at: Seconds;
  readonly unanswered: ReadonlyMap<string, Unanswered>;
  /** The entries that must come next of this order, and nothing else before them. */
  readonly next: readonly Draft[];
}

/** Columns of `market_order` that its first entry gives, and nothing changes. */
const GIVEN = ["id", "price_usd_micro", "sla_hours", "base_raw", "due_raw", "expires_at"] as const;

/** Columns of `market_order` that steps change. */
export const MOVED = [
  "state",
  "received_raw",
  "escrow_raw",
  "deliver_by",
  "refund_at",
  "accept_by",
  "held_until",
  "payments",
  "deliveries",
  "refunds",
  "holds",
  "disputed",
] as const;

/** The columns of `market_order` that entries determine, and steps read. */
export const COLUMNS = [...GIVEN, ...MOVED];
export type Columns = Pick<KnownOrder, (typeof COLUMNS)[number]>;

/** Facts of an order that its row has, or that hold at the beginning of a write: nothing has to come next there. */
type OfRow = Columns & Pick<KnownOrder, "refund_to" | "next">;

/** The other facts. A writer loads those that a step reads. */
export type Beside = Exclude<keyof KnownOrder, keyof OfRow>;

/** As much of an order as a step sees that reads some facts beside its row. */
export type Seen<B extends Beside> = OfRow & Pick<KnownOrder, B>;

type Opened = Pick<
  Body<typeof order.fields>,
  | "order_id"
  | "buyer"
  | "seller"
  | "price_usd_micro"
  | "sla_hours"
  | "expires_at"
  | "due_raw"
  | "refund_address_sha256"
> & { readonly seller_raw: string };

/** An order as its first entry makes it. */
export const openedOrder = ({ order_id: id, seller_raw, ...body }: Opened): KnownOrder => ({
  id,
  buyer: body.buyer,
  seller: body.seller,
  price_usd_micro: body.price_usd_micro,
  sla_hours: body.sla_hours,
  expires_at: body.expires_at,
  base_raw: baseOf(seller_raw),
  due_raw: body.due_raw,
  state: "awaiting_payment",
  refund_to: body.refund_address_sha256 ?? null,
  received_raw: "0",
  escrow_raw: "0",
  deliver_by: null,
  refund_at: null,
  accept_by: null,
  held_until: null,
  payments: 0,
  deliveries: 0,
  refunds: 0,
  holds: 0,
  disputed: 0,
  paid: [],
  debts: new Map(),
  payouts: 0,
  settlements: 0,
  hold: null,
  released_at: 0,
  unanswered: new Map(),
  next: [],
});

export interface MarketState extends CoinState {
  readonly offers: Map<number, KnownOffer>;
  readonly addresses: Map<string, readonly KnownAddress[]>;
  readonly orders: Map<number, KnownOrder>;
  /** Orders that wait for payment, by buyer. */
  readonly unpaid: Map<string, number>;
  /** Of domains/transfers/ledger.ts: the hashes of the network's own accounts, and its escrow accounts. */
  readonly ownAccounts: ReadonlySet<string>;
  readonly escrows: ReadonlySet<string>;
  /** Payments that name no order and are owed to their senders, by hash. */
  readonly unmatched: Map<string, { readonly from: string; readonly amount_raw: string }>;
}
