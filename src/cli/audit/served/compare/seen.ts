import { CLOCK_SLACK_S, type Made, UNSEALED } from "../../derived/derived.ts";
import type { Compared } from "../../figures.ts";

/** The value that follows from the ledger: a figure, a time that may be a little later, or nothing yet. */
export type Told = Made[string] | boolean;

/** Equal to nothing: the ledger makes no such object. */
export const MISSING = Symbol("nothing of this name");

/** Whether two values are the same, as far as the ledger determines them. */
export function isTold(shown: unknown, made: Told | typeof MISSING): boolean {
  if (made === MISSING) return false;
  if (made === UNSEALED) return true;
  if (typeof made === "object" && made !== null)
    return typeof shown === "number" && Math.abs(made.near - shown) <= CLOCK_SLACK_S;
  if (typeof made === "bigint") return shown === String(made);
  return (shown ?? null) === (made ?? null);
}

/** The values that one answer showed. */
export function seenIn() {
  const differing = new Map<string, Compared>();
  const newer = new Set<string>();
  let [compared, objects, older] = [0, 0, 0];
  return {
    compare(path: string, shown: unknown, made: Told | typeof MISSING): void {
      compared++;
      if (made === UNSEALED) older++;
      if (isTold(shown, made)) return;
      const recomputed = typeof made === "symbol" ? null : textOf(made);
      differing.set(path, { name: path, claimed: textOf(shown), recomputed });
    },
    object: () => void objects++,
    /** A field that this version does not know. */
    newer: (what: string) => void newer.add(what),
    counts: () => ({ compared, objects, older }),
    differing: differing as ReadonlyMap<string, Compared>,
    newerFields: newer as ReadonlySet<string>,
  };
}

export type Seen = ReturnType<typeof seenIn>;

const SHOWN_MAX = 200;

function textOf(value: unknown): string | null {
  if (value == null) return null;
  if (typeof value === "object" && "near" in value) return `about ${value.near}`;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
