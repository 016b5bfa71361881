import { CLOCK_SLACK_S, type Made } from "../../derived/derived.ts";
import type { Facts, Rule, Shown } from "../compare/rule.ts";
import { isTold, MISSING, type Told } from "../compare/seen.ts";

/** The service's second is not ours: an answer may be that of a minute before or after. */
const clocksOf = (now: number): readonly number[] => [
  now,
  now - CLOCK_SLACK_S,
  now + CLOCK_SLACK_S,
];

type Now = Facts & { readonly row: Made };

/** A word that follows from the row and the clock; one that only newer versions say counts as newer. */
export const word = (
  words: readonly string[],
  of: (facts: Now, now: number) => Told,
): Rule<unknown> => ({
  see(shown, facts, seen, path) {
    const { row, now, ledger } = facts;
    if (row === null) return seen.compare(path, shown, MISSING);
    const expected = clocksOf(now).map((at) => of({ ...facts, row }, at));
    const isNew = typeof shown === "string" && !words.includes(shown) && ledger.newer.size > 0;
    if (isNew) seen.newer(`${path} ${shown}`);
    else seen.compare(path, shown, expected.find((each) => isTold(shown, each)) ?? expected[0]);
  },
});

/** A figure that follows from the clock. */
export const clocked = (of: (facts: Facts, now: number) => Told): Rule<unknown> => ({
  see(shown, facts, seen, path) {
    const expected = clocksOf(facts.now).map((at) => of(facts, at));
    seen.compare(path, shown, expected.find((each) => isTold(shown, each)) ?? expected[0]);
  },
});

/** How items of a list are ranked by a second that their rows have, the largest first. */
export interface Ranking<T> {
  readonly key: (item: Shown) => string;
  readonly each: Rule<T>;
  readonly limit: (facts: Facts) => number;
  /** The second of everything that may be listed, by its key. */
  readonly ranks: (facts: Facts) => ReadonlyMap<string, number>;
}

/** A list in the order of seconds, of which a row may differ from its entry by a minute. */
export const ranked = <T>({ key, each, limit, ranks }: Ranking<T>): Rule<readonly T[]> => ({
  each,
  see(shown, facts, seen, path) {
    if (!Array.isArray(shown)) return seen.compare(path, shown, MISSING);
    const all = ranks(facts);
    const keys = shown.map(key);
    const n = Math.min(limit(facts), all.size);
    seen.compare(
      `${path} in order`,
      keys.join(" "),
      isRanked(keys, all, n) ? keys.join(" ") : best(all, n),
    );
    for (const [i, item] of shown.entries()) each.see?.(item, facts, seen, `${path} ${keys[i]}`);
  },
});

function isRanked(keys: readonly string[], all: ReadonlyMap<string, number>, n: number): boolean {
  const rank = (key: string) => all.get(key) ?? Number.NaN;
  const isFalling = keys.every((key, i) => {
    const before = i === 0 ? Number.POSITIVE_INFINITY : rank(keys[i - 1] ?? "");
    return rank(key) <= before + CLOCK_SLACK_S;
  });
  if (!isFalling || keys.length !== n || new Set(keys).size !== n) return false;
  const last = n === 0 ? Number.POSITIVE_INFINITY : rank(keys[n - 1] ?? "");
  const listed = new Set(keys);
  for (const [key, at] of all) if (!listed.has(key) && at > last + CLOCK_SLACK_S) return false;
  return true;
}

const best = (all: ReadonlyMap<string, number>, n: number): string =>
  [...all]
    .sort(([, a], [, b]) => b - a)
    .slice(0, n)
    .map(([key]) => key)
    .join(" ");

/** The second of a row's column. */
export function secondIn(row: Made | undefined, column: string): number {
  const value = row?.[column];
  return typeof value === "object" && value !== null ? value.near : Number(value);
}
