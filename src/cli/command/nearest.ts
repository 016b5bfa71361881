/**
 * The name that differs from what was typed by the fewest letters left out, added or replaced; null
 * when every name differs by more than half of the letters.
 */
export function nearestTo(typed: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(typed, name) }))
    .sort((a, b) => a.edits - b.edits);
  const [first] = ranked;
  return first !== undefined && first.edits <= typed.length / 2 ? first.name : null;
}

/** The Levenshtein distance, row by row. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
