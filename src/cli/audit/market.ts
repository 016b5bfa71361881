import {
  addEntry,
  addTo,
  type Figure,
  owedWithoutOrder,
  type Sums,
} from "../../domains/market/accounts/figures.ts";
import { type Book, bookAfter, isSound } from "../../domains/market/accounts/order-accounts.ts";
import { refundUsd, sellerRaw, sellerUsd } from "../../domains/market/amounts.ts";
import { isOrderKind } from "../../domains/market/rules.ts";
import type { KnownOrder } from "../../domains/market/steps/order-state.ts";
import { micro } from "../../platform/kernel/money.ts";
import { type Entry, numberIn, textIn } from "../../platform/ledger/rows/told.ts";

interface Offer {
  readonly agent: string;
  isWithdrawn: boolean;
  isListed: boolean;
}

/** The books of all orders, what they sum up to, and the offers that are listed. */
export function marketFold() {
  const books = new Map<number, Book>();
  const offers = new Map<number, Offer>();
  const sums: Sums = new Map();

  const list = (offer: Offer | undefined, isListed: boolean): void => {
    if (offer === undefined || offer.isListed === isListed) return;
    offer.isListed = isListed;
    addTo(sums, "offers_open", isListed ? 1n : -1n);
  };
  const offersOf = (agent: string) => offers.values().filter((offer) => offer.agent === agent);

  const rules: Readonly<Record<string, (entry: Entry) => void>> = {
    offer(entry) {
      const offer = { agent: textIn(entry, "agent"), isWithdrawn: false, isListed: false };
      offers.set(numberIn(entry, "offer_id"), offer);
      list(offer, true);
    },
    offer_withdrawn(entry) {
      const offer = offers.get(numberIn(entry, "offer_id"));
      if (offer !== undefined) offer.isWithdrawn = true;
      list(offer, false);
    },
    agent_banned(entry) {
      for (const offer of offersOf(textIn(entry, "agent"))) list(offer, false);
    },
    agent_unbanned(entry) {
      for (const offer of offersOf(textIn(entry, "agent"))) list(offer, !offer.isWithdrawn);
    },
  };

  /** Books the next entry. */
  function add(entry: Entry): void {
    const { kind, body } = entry;
    addTo(sums, "owed_raw", owedWithoutOrder(kind, body));
    if (!isOrderKind(kind)) {
      rules[kind]?.(entry);
      return;
    }
    const order_id = numberIn(entry, "order_id");
    const before = books.get(order_id) ?? null;
    const after = bookAfter(before, kind, body);
    if (after === null) return;
    books.set(order_id, after);
    addEntry(sums, { before, after, kind, body });
  }

  return {
    books: books as ReadonlyMap<number, Book>,
    offers: offers as ReadonlyMap<number, Readonly<Offer>>,
    add,
    /** The orders whose accounts do not balance (I12). */
    unbalanced: (): number[] => [...books].flatMap(([id, book]) => (isSound(book) ? [] : [id])),
    sum: (figure: Figure): bigint => sums.get(figure) ?? 0n,
    sums: sums as ReadonlyMap<Figure, bigint>,
  };
}

export type Market = ReturnType<typeof marketFold>;

/** The sums of the market as the orders make them that the rules lead; an offer is in no order. */
export function figuresOf(orders: Iterable<KnownOrder>, unmatched: Iterable<bigint>): Sums {
  const sums: Sums = new Map();
  for (const amount_raw of unmatched) addTo(sums, "owed_raw", amount_raw);
  for (const order of orders) {
    const price = micro<"usd">(order.price_usd_micro);
    const part = sellerUsd(price);
    addTo(sums, `orders_${order.state}`, 1n);
    addTo(sums, "owed_raw", BigInt(order.escrow_raw));
    if (order.state === "released" || order.state === "paid_out") {
      const isSent = order.state === "paid_out";
      addTo(sums, "fees_usd", price - part);
      addTo(sums, isSent ? "payouts_sent_usd" : "payouts_due_usd", part);
      if (!isSent) addTo(sums, "owed_raw", sellerRaw(order));
    }
    for (const debt of order.debts.values()) {
      const usd = refundUsd({ price, base_raw: BigInt(order.base_raw) }, debt.amount_raw);
      if (debt.sent === null) {
        addTo(sums, "refunds_due", 1n);
        addTo(sums, "refunds_due_usd", usd);
        addTo(sums, "owed_raw", debt.amount_raw);
      } else if (!debt.isReopened) addTo(sums, "refunds_sent_usd", usd);
    }
  }
  return sums;
}
