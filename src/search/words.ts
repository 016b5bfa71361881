import { UNSPACED } from "../kernel/scripts.ts";
import { ITEM_LENGTH_MAX, ITEM_WORDS_MAX, WORD_LENGTH_MAX, WORD_LENGTH_MIN } from "./rules.ts";

/** Letters, digits and marks of scripts that put no space between words, and runs of all others. */
const RUN = new RegExp(
  `(?<unspaced>[[\\p{L}\\p{N}\\p{M}]&&${UNSPACED}]+)|[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]+`,
  "gv",
);

/**
 * The distinct words of a text, as they are indexed and as they are looked for: NFKC, lower case,
 * 2 to 40 code points. A longer word counts with its first 40. Scripts without spaces give
 * overlapping pairs. Of a text the first 8,000 code points count, and the first 400 words.
 */
export function wordsOf(text: string): readonly string[] {
  const words = new Set<string>();
  const plain = firstOf(text, ITEM_LENGTH_MAX).normalize("NFKC").toLowerCase();
  for (const run of plain.matchAll(RUN)) {
    for (const word of run.groups?.["unspaced"] === undefined ? [run[0]] : pairsOf(run[0])) {
      const cut = firstOf(word, WORD_LENGTH_MAX);
      if (!isLongEnough(cut)) continue;
      words.add(cut);
      if (words.size === ITEM_WORDS_MAX) return [...words];
    }
  }
  return [...words];
}

function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}

const isLongEnough = (word: string): boolean => Array.from(word).length >= WORD_LENGTH_MIN;

/** The first `max` code points of a text. */
function firstOf(text: string, max: number): string {
  return text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join("");
}
