import { toNumber } from "../../platform/kernel/money.ts";

/** Figures by name, as texts. */
export type Figures = ReadonlyMap<string, string>;

/** A figure as it is claimed, and as the ledger makes it; null where there is none. */
export interface Compared {
  readonly name: string;
  readonly claimed: string | null;
  readonly recomputed: string | null;
}

/** Figures of one answer or one table. */
export interface Group {
  /** A path, or the name of a table. */
  readonly name: string;
  readonly compared: number;
  readonly unequal: number;
  /** All of an answer's; of a table's those that differ, up to a number. */
  readonly figures: readonly Compared[];
  /** Further figures of the group, which the ledger does not record. */
  readonly untold: readonly string[];
  /** Objects that an answer shows, where it shows some. */
  readonly objects?: number;
  /** Figures that no entry contains. */
  readonly older?: number;
  /** Fields and words that this version does not know. */
  readonly newer?: readonly string[];
}

/**
 * The members of an answer, however deep. A bigint is an amount in millionths, and counts as the JSON
 * number that stands for it in an answer: beyond 2^53 millionths that number is the nearest double.
 */
export function flatten(answer: unknown): Figures {
  const figures = new Map<string, string>();
  const visit = (name: string, value: unknown): void => {
    if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value))
        visit(name === "" ? key : `${name}.${key}`, inner);
    else figures.set(name, String(typeof value === "bigint" ? toNumber(value) : value));
  };
  visit("", answer);
  return figures;
}

/** Figure by figure; one that only one side has is unequal. */
export function compare(claimed: Figures, recomputed: Figures): Compared[] {
  const names = new Set([...recomputed.keys(), ...claimed.keys()]);
  return [...names].map((name) => ({
    name,
    claimed: claimed.get(name) ?? null,
    recomputed: recomputed.get(name) ?? null,
  }));
}

export const isEqual = ({ claimed, recomputed }: Compared): boolean => claimed === recomputed;

/** Figures that differ, at most, that a report names of one table. */
export const NAMED_MAX = 100;

/** Every figure of an answer. */
export const answerGroup = (
  name: string,
  figures: readonly Compared[],
  untold: readonly string[],
): Group => ({
  name,
  compared: figures.length,
  unequal: figures.filter((figure) => !isEqual(figure)).length,
  figures,
  untold,
});

/** Every row of a table, of which only those are named that differ. */
export function tableGroup(name: string, rows: readonly Compared[]): Group {
  const unequal = rows.filter((row) => !isEqual(row));
  return {
    name,
    compared: rows.length,
    unequal: unequal.length,
    figures: unequal.slice(0, NAMED_MAX),
    untold: [],
  };
}
