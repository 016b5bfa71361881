/** Fewer letters say too little to guess from. */
const LENGTH_MIN = 3;
const LENGTH_MAX = 64;
/** A name is near when so many of its letters, at most, are wrong. */
const WRONG_LETTERS_MAX = 3;
const SHOWN_MAX = 3;

const wordsOf = (name: string): string =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ""))
    .sort()
    .join(" ");

/**
 * The names that somebody may have meant who sent `sent`, at most three: those of the same words in
 * another order, number or case; where there are none, those with the fewest wrong letters.
 */
export function nearest(sent: string, names: Iterable<string>): string[] {
  if (sent.length < LENGTH_MIN || sent.length > LENGTH_MAX) return [];
  const words = wordsOf(sent);
  const all = [...names];
  const same = all.filter((name) => wordsOf(name) === words);
  if (same.length > 0) return same.slice(0, SHOWN_MAX);
  const bound = Math.min(WRONG_LETTERS_MAX, Math.floor(sent.length / 3));
  const apart = all.map((name) => editsBetween(sent.toLowerCase(), name.toLowerCase()));
  const least = Math.min(bound, ...apart);
  return all.filter((_, i) => apart[i] === least).slice(0, SHOWN_MAX);
}

/** Letters to leave out, add, replace, or swap with the next (optimal string alignment), row by row. */
export function editsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A sentence that names them; empty where there are none. */
export const didYouMean = (sent: string, names: Iterable<string>): string => {
  const near = nearest(sent, names);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
};
