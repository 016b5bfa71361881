import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Currency } from "../transfers/rules.ts";
import type { TransferUse } from "../transfers/tables.ts";
import type {
  DoubtWhy,
  EndedBy,
  OrderKind,
  PaymentRole,
  RecheckEnd,
  RefundWhy,
  State,
} from "./rules.ts";

/** A payout or a refund, as the register of transfers names it. */
export type MarketSend = Extract<TransferUse, `payout/${string}` | `refund/${string}`>;

interface MarketOfferTable {
  id: Generated<number>;
  agent: number;
  capability: string;
  /** As `foldCapability` makes it. */
  capability_folded: string;
  title: string;
  description: string;
  price_usd_micro: number;
  sla_hours: number;
  /** The id of the rule that it breaks, or null. */
  flagged: string | null;
  flaggings: number;
  unflaggings: number;
  withdrawn_at: Seconds | null;
  /** 0 once the withdrawal, or a ban of the seller, has its place in the ledger. */
  listed: number;
  created_at: Seconds;
}

/** What the operator said of an offer, by the entry that holds its hash. */
interface MarketOfferNoticeTable {
  kind: "offer_flagged" | "offer_unflagged";
  ref: string;
  offer: number;
  reason: string;
}

/** Price, rate, amounts, address and split never change. Amounts in raw are decimal text. */
export interface MarketOrderTable {
  id: Generated<number>;
  offer: number;
  buyer: number;
  seller: number;
  price_usd_micro: number;
  sla_hours: number;
  /** The price in whole units; with its tag it is the amount that is due. */
  base_raw: string;
  /** The amount that is due: the base and the tag. Empty until the order has its id, which the tag is made of. */
  due_raw: string;
  rate_e8: number;
  rate_source: string;
  escrow_address: string;
  /** Where refunds go; null: to the account that paid. */
  refund_address: Generated<string | null>;
  state: State;
  state_since: Seconds;
  /** What counted towards the price. */
  received_raw: string;
  /** The quantity that is held now. */
  escrow_raw: string;
  expires_at: Seconds;
  paid_at: Seconds | null;
  deliver_by: Seconds | null;
  refund_at: Seconds | null;
  accept_by: Seconds | null;
  /** When its hold ends by itself; null unless it is held. */
  held_until: Seconds | null;
  /** How many of each there are: the number of the next is one more. */
  payments: number;
  deliveries: number;
  refunds: number;
  holds: number;
  /** 1 once its buyer has disputed it. */
  disputed: Generated<number>;
  client_ref: string | null;
  created_at: Seconds;
}

/** One row, after a restore: no order gets a number below it. */
interface MarketOrderFloorTable {
  one: number;
  first_id: number;
}

/** Every entry of an order, at the time that its parties see. */
interface MarketHistoryTable {
  id: Generated<number>;
  order_id: number;
  at: Seconds;
  kind: OrderKind;
  ref: string;
}

interface MarketPaymentTable {
  order_id: number;
  n: number;
  currency: Currency;
  txid: string;
  amount_raw: string;
  from_account: string | null;
  checked: number;
  role: PaymentRole;
  /** Why the operator recorded it. */
  reason: string | null;
  at: Seconds;
}

interface MarketDeliveryTable {
  order_id: number;
  n: number;
  body: string;
  salt: Uint8Array;
  content_sha256: string;
  late: number;
  at: Seconds;
}

interface MarketHoldTable {
  order_id: number;
  n: number;
  from_state: "paid" | "delivered";
  remaining_s: number;
  reason: string;
  /** Of the commitment to the reason of a buyer; null where the operator has stopped the clock. */
  salt: Uint8Array | null;
  at: Seconds;
  outcome: "release" | "refund" | "resume" | null;
  outcome_reason: string | null;
  ended_by: EndedBy | null;
  resolved_at: Seconds | null;
}

/** A debt to one sending account; sent once `txid` is set. */
interface MarketRefundTable {
  order_id: number;
  n: number;
  amount_raw: string;
  why: RefundWhy;
  to_account: string | null;
  at: Seconds;
  currency: Currency | null;
  txid: string | null;
  /** Where it went, if that was a Nano account. */
  sent_to: string | null;
  checked: number | null;
  reason: string | null;
  sent_at: Seconds | null;
  /** 1 where the chain did not show the transfer: the debt goes on under another number. */
  reopened: Generated<number>;
}

/** The newest is the one that counts: the chain did not show those before it. */
interface MarketPayoutTable {
  order_id: number;
  n: number;
  currency: Currency;
  txid: string;
  to_account: string | null;
  amount_raw: string;
  checked: number;
  reason: string | null;
  at: Seconds;
}

/** A payout or refund of XNO on the operator's word, of which the chain is asked again. */
interface MarketRecheckTable {
  sent: MarketSend;
  order_id: number;
  recorded_at: Seconds;
  tries: number;
  next_try_at: Seconds;
  /** Null while the chain is asked; `silence`: it said nothing for a month. */
  found: RecheckEnd | null;
}

interface MarketPayoutAddressTable {
  agent: number;
  n: number;
  address: string;
  set_at: Seconds;
  usable_from: Seconds;
  /** 1 when another was set before this one could be used: then it never is. */
  superseded: number;
}

/** The accounts that payments come to, and how far each was read. */
interface MarketWatchTable {
  account: string;
  /** An invoice named it, less than a day before the last that did. */
  invoiced_at: Seconds;
  next_at: Seconds;
  /** When the last complete scan began. */
  scanned_at: Seconds | null;
  /** The newest own block of the account behind which that scan left nothing to look at. */
  frontier: string | null;
  /** Transfers that waited to be received then. */
  unreceived: Generated<number>;
}

/** Transfers to an escrow account that name no order. */
interface MarketUnmatchedTable {
  txid: string;
  from_account: string;
  amount_raw: string;
  first_seen_at: Seconds;
  /** The order that the operator gave it to. */
  order_id: number | null;
  /** When its entry was made; null in a row that somebody has put there. */
  sealed_at: Seconds | null;
  /** The transfer that sent it back, to whom, and why to another account. */
  sent_txid: string | null;
  sent_to: string | null;
  sent_at: Seconds | null;
  reason: string | null;
}

/** A transfer to an escrow account that nodes list and that is not booked: nobody has proven it, or its order takes no more. */
interface MarketDoubtTable {
  account: string;
  hash: string;
  state: "open" | "settled" | "dismissed";
  why: DoubtWhy;
  /** Null if no node reports it, or if nodes differ. */
  amount_raw: string | null;
  from_account: string | null;
  /** The order that waited for its payment and that the amount names. */
  order_id: number | null;
  /** How many nodes listed it. */
  told_by: number;
  /** 1: by fewer nodes than the quorum, when it was first seen. */
  untold: number;
  first_seen_at: Seconds;
  tries: number;
  /** Null when only the operator can end it. */
  next_try_at: Seconds | null;
  closed_at: Seconds | null;
  note: string | null;
}

/** Kept by the projector alone, so they stand at the ledger's head. */
interface MarketEntryTable {
  ledger_id: number;
  order_id: number;
}

interface MarketPostingTable {
  ledger_id: number;
  line: number;
  order_id: number;
  account: string;
  amount_raw: string;
}

interface MarketBookTable {
  order_id: number;
  state: State;
  held_from: State | null;
  price_usd_micro: number;
  base_raw: string;
  in_raw: string;
  escrow_raw: string;
  seller_payable_raw: string;
  refund_payable_raw: string;
  fee_raw: string;
  out_raw: string;
}

interface MarketFigureTable {
  name: string;
  amount: string;
}

export interface MarketTables {
  market_offer: MarketOfferTable;
  market_offer_notice: MarketOfferNoticeTable;
  market_order: MarketOrderTable;
  market_order_floor: MarketOrderFloorTable;
  market_history: MarketHistoryTable;
  market_payment: MarketPaymentTable;
  market_delivery: MarketDeliveryTable;
  market_hold: MarketHoldTable;
  market_refund: MarketRefundTable;
  market_payout: MarketPayoutTable;
  market_payout_address: MarketPayoutAddressTable;
  market_recheck: MarketRecheckTable;
  market_watch: MarketWatchTable;
  market_unmatched: MarketUnmatchedTable;
  market_doubt: MarketDoubtTable;
  market_entry: MarketEntryTable;
  market_posting: MarketPostingTable;
  market_book: MarketBookTable;
  market_figure: MarketFigureTable;
}
