import { UNSPACED } from "../kernel/scripts.ts";
import { lengthOf, startOf } from "../kernel/text.ts";
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
export const wordsOf = (text: string): readonly string[] => [...distinctWords(text)];

/** Whether all of these are words of a text; for most texts the beginning is enough. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const missing = new Set(words);
  if (missing.size === 0) return true;
  for (const word of distinctWords(text))
    if (missing.delete(word) && missing.size === 0) return true;
  return false;
}

function* distinctWords(text: string): Generator<string> {
  const known = new Set<string>();
  for (const word of allWords(startOf(text, ITEM_LENGTH_MAX))) {
    const cut = startOf(word, WORD_LENGTH_MAX);
    if (known.has(cut) || lengthOf(cut) < WORD_LENGTH_MIN) continue;
    known.add(cut);
    yield cut;
    if (known.size === ITEM_WORDS_MAX) return;
  }
}

const ASCII = /^\p{ASCII}*$/u;
const ASCII_RUN = /[a-z0-9]+/g;

/** Most texts are ASCII, whose runs a plain expression finds in a fraction of the time. */
function* allWords(text: string): Generator<string> {
  if (ASCII.test(text)) return yield* text.toLowerCase().match(ASCII_RUN) ?? [];
  for (const { 0: run, groups } of text.normalize("NFKC").toLowerCase().matchAll(RUN))
    if (groups?.["unspaced"] === undefined) yield run;
    else yield* pairsOf(run);
}

function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}
