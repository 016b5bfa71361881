import {
  addEntry,
  addTo,
  type Figure,
  owedWithoutOrder,
  type Sums,
} from "../../market/accounts/figures.ts";
import { type Book, bookAfter, isSound } from "../../market/accounts/order-accounts.ts";
import { sellerRaw, splitOf } from "../../market/amounts.ts";
import { isOrderKind } from "../../market/rules.ts";
import { type Entry, numberIn, textIn } from "./entry.ts";

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

  /** Books the next entry; the rules that it breaks. */
  function add(entry: Entry): readonly string[] {
    const { kind, body } = entry;
    addTo(sums, "owed_raw", owedWithoutOrder(kind, body));
    if (!isOrderKind(kind)) {
      rules[kind]?.(entry);
      return [];
    }
    const order_id = numberIn(entry, "order_id");
    const before = books.get(order_id) ?? null;
    const after = bookAfter(before, kind, body);
    if (after === null) return [];
    books.set(order_id, after);
    addEntry(sums, { before, after, kind, body });
    return [
      ...(isSound(after) ? [] : [`the accounts of order ${order_id} do not balance`]),
      ...(isSplit(order_id, after, entry) ? [] : [`order ${order_id} is not split 80 to 20`]),
    ];
  }

  return {
    books: books as ReadonlyMap<number, Book>,
    offers: offers as ReadonlyMap<number, Readonly<Offer>>,
    add,
    sum: (figure: Figure): bigint => sums.get(figure) ?? 0n,
    sums: sums as ReadonlyMap<Figure, bigint>,
  };
}

/** Whether an order, its fee and what its seller is owed are the parts that the price has. */
function isSplit(id: number, { price, base_raw }: Book, entry: Entry): boolean {
  const due_raw = textIn(entry, "due_raw") || "0";
  const priced = { id, base_raw: String(base_raw), price_usd_micro: Number(price), due_raw };
  const split = splitOf(priced);
  const [fee, seller] = [Number(split.fee_usd), Number(split.seller_receives_usd)];
  const usd = numberIn(entry, "usd_micro");
  switch (entry.kind) {
    case "order":
      return (
        numberIn(entry, "fee_usd_micro") === fee &&
        numberIn(entry, "seller_usd_micro") === seller &&
        textIn(entry, "fee_raw") === split.fee_raw &&
        textIn(entry, "seller_raw") === split.seller_raw
      );
    case "fee":
      return usd === fee;
    case "payout_due":
      return usd === seller && textIn(entry, "amount_raw") === String(sellerRaw(priced));
    default:
      return true;
  }
}

export type Market = ReturnType<typeof marketFold>;
