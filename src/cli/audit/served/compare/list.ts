import { PAGE_MAX_BYTES } from "../../../../kernel/contract/page.ts";
import { type Facts, isShown, known, type Rule, type Shown, untold } from "./rule.ts";
import { MISSING } from "./seen.ts";

type Key = string | number;

/** A list of an answer. */
export interface Listing<T> {
  /** Under which name the answer has it. */
  readonly name: string;
  /** What its items are known by. */
  readonly key: (item: Shown) => Key;
  readonly each: Rule<T>;
  /** The first keys of the list, `n` at most, in its order. */
  readonly first: (facts: Facts, n: number) => readonly Key[];
  /** How many it shows at most. */
  readonly limit: (facts: Facts) => number;
}

/** The limit that was asked for. */
export const askedLimit = ({ asked }: Facts): number => Number(asked["limit"]);

/** Before which id, where one was asked for. */
export const before = ({ asked }: Pick<Facts, "asked">) =>
  asked["before_id"] === undefined ? {} : { before_id: Number(asked["before_id"]) };

/** An item that is known by its number. */
export const ownId = (item: Shown): Key => Number(item["id"]);

/** Items may fill a page before their number does. No item is larger than this. */
const ITEM_MAX_BYTES = 400 * 1_024;

/** A list with exactly the items that the ledger makes, in its order. */
export const listed = <T>({ key, each, first, limit }: Listing<T>): Rule<readonly T[]> => ({
  each,
  isOrdered: true,
  see(shown, facts, seen, path) {
    if (!Array.isArray(shown)) return seen.compare(path, shown, MISSING);
    const items = shown.filter(isShown);
    const keys = items.map(key);
    const all = first(facts, limit(facts));
    const isFull = facts.bytes + ITEM_MAX_BYTES > PAGE_MAX_BYTES && keys.length > 0;
    const expected = isFull ? all.slice(0, keys.length) : all;
    seen.compare(`${path} in order`, keys.join(" "), expected.join(" "));
    for (const [i, item] of items.entries()) each.see?.(item, facts, seen, `${path} ${keys[i]}`);
    if (items.length < shown.length) seen.compare(path, shown.length, items.length);
  },
});

/** Items whose order and number do not follow from the ledger. */
export const listOf = <T>(key: (item: Shown) => Key, each: Rule<T>): Rule<readonly T[]> => ({
  each,
  see(shown, facts, seen, path) {
    if (!Array.isArray(shown)) return seen.compare(path, shown, MISSING);
    for (const item of shown)
      each.see?.(item, facts, seen, `${path} ${isShown(item) ? key(item) : item}`);
  },
});

const shownIn = ({ of }: Facts, name: string): number => {
  const list = of[name];
  return Array.isArray(list) ? list.length : 0;
};

/** How many items a list shows. */
export const countOf = (name: string): Rule<number> => known((facts) => shownIn(facts, name));

/** Whether there are more of them. */
export const moreOf = <T>({ name, first }: Listing<T>): Rule<boolean> =>
  known((facts) => {
    const n = shownIn(facts, name);
    return first(facts, n + 1).length > n;
  });

/** The cursor of the next page. */
export const nextPlace = untold("the position of the last item, which is compared");

/** A whole answer that is one list. */
export const page = <T>(name: string, listing: Omit<Listing<T>, "name" | "limit">) => {
  const list = { ...listing, name, limit: askedLimit };
  return { items: listed(list), count: countOf(name), more: moreOf(list), next: nextPlace };
};

/** A list that is a part of an answer. */
export const part = <T>(name: string, listing: Omit<Listing<T>, "name">) => {
  const list = { ...listing, name };
  return { items: listed(list), more: moreOf(list) };
};
