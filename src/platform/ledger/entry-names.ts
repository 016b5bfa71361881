import { numbersOf } from "../kernel/proof/names.ts";

/** A number below 2^53 as JSON writes it, so that no two texts mean the same one. */
export const isRowId = (ref: string): boolean => /^[1-9][0-9]{0,14}$/.test(ref);

/** The names of all entries so far. */
export interface EntryNames {
  /** Whether no entry before had the name; it is had from now on. */
  isFirst(kind: string, ref: string): boolean;
  has(kind: string, ref: string): boolean;
}

/** Most refs are numbers, which need a bit each. */
export function entryNames(): EntryNames {
  const numbers = numbersOf(Number.POSITIVE_INFINITY);
  const texts = new Map<string, Set<string>>();
  return {
    isFirst(kind, ref) {
      if (isRowId(ref)) return numbers.put(kind, Number(ref)) === "first";
      const own = texts.get(kind) ?? new Set();
      texts.set(kind, own);
      return own.size < own.add(ref).size;
    },
    has: (kind, ref) =>
      isRowId(ref) ? numbers.has(kind, Number(ref)) : texts.get(kind)?.has(ref) === true,
  };
}
