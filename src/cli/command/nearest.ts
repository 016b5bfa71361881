import { editsBetween } from "../../kernel/nearest.ts";

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
