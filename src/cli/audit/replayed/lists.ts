import { CLOCK_SLACK_S } from "../../../platform/ledger/rows/told.ts";
import { STRIDE_S } from "./filling.ts";

/** An object of an answer, as it was read. */
export type Shown = Readonly<Record<string, unknown>>;

export const isShown = (value: unknown): value is Shown =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A time that is only nearly known is another one in the second filling. */
export const isNear = (first: unknown, second: unknown): first is number =>
  typeof first === "number" &&
  typeof second === "number" &&
  first !== second &&
  (first - second) % STRIDE_S === 0;

export const isWithin = (a: number, b: unknown): boolean =>
  typeof b === "number" && Math.abs(a - b) <= CLOCK_SLACK_S;

/** The number or the name by which an item of a list is known; else its place. */
function keyOf(item: unknown, i: number): string {
  if (!isShown(item)) return `${i + 1}`;
  const { id, agent_id, n, claim_id, topic, kind, ref } = item;
  const key = id ?? n ?? agent_id ?? claim_id ?? topic;
  if (key !== undefined) return `${key}`;
  return kind === undefined || ref === undefined ? `${i + 1}` : `${kind} ${ref}`;
}

export const keysOf = (items: readonly unknown[]): readonly string[] => items.map(keyOf);

/** Items by their keys. */
export const byKey = (items: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(items.map((item, i) => [keyOf(item, i), item]));

/** A list whose order differs between the fillings. */
interface Ranked {
  readonly firsts: ReadonlyMap<string, unknown>;
  readonly seconds: ReadonlyMap<string, unknown>;
  /** How many items are shown. */
  readonly length: number;
  /** Whether those of `firsts` are all that there are. */
  readonly isWhole: boolean;
}

/**
 * Whether a list may be the one whose order the ledger leaves open. It has as many items as it must have, each once.
 * Where they have times that are only nearly known, two may change places, or take each other's, within the slack.
 */
export function isRanked(
  shown: readonly unknown[],
  { firsts, seconds, length, isWhole }: Ranked,
): boolean {
  const keys = keysOf(shown);
  if (keys.length !== length || new Set(keys).size !== length) return false;
  if (isWhole && !keys.every((key) => firsts.has(key))) return false;
  const times = [...firsts].map(([key, item]) => timesIn(item, seconds.get(key)));
  if (times.every((each) => each.length === 0)) return true;
  const places = new Map([...firsts.keys()].map((key, i) => [key, i]));
  const last = times[length - 1] ?? [];
  let highest: readonly number[] = [];
  let place = -1;
  for (const [i, key] of keys.entries()) {
    const at = places.get(key);
    if (at === undefined) {
      if (!areNear(numbersIn(shown[i]), last)) return false;
    } else if (at > place) [place, highest] = [at, times[at] ?? []];
    else if (!areNear(times[at] ?? [], highest)) return false;
  }
  const seen = new Set(keys);
  const before = [...firsts.keys()].slice(0, Math.max(place, 0));
  return before.every((key, i) => seen.has(key) || areNear(times[i] ?? [], highest));
}

const areNear = (some: readonly number[], others: readonly number[]): boolean =>
  some.some((a) => others.some((b) => isWithin(a, b)));

/** The times of an item that are only nearly known. */
const timesIn = (first: unknown, second: unknown): readonly number[] =>
  isShown(first) && isShown(second)
    ? Object.entries(first).flatMap(([name, time]) => (isNear(time, second[name]) ? [time] : []))
    : [];

const numbersIn = (item: unknown): readonly number[] =>
  isShown(item) ? Object.values(item).filter((value) => typeof value === "number") : [];
