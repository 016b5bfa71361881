import { UNSPACED } from "../scripts.ts";
import { startOf } from "../text.ts";
import { lengthOf } from "../text-length.ts";
import { ITEM_LENGTH_MAX, ITEM_WORDS_MAX, WORD_LENGTH_MAX, WORD_LENGTH_MIN } from "./bounds.ts";
import { folded } from "./folding.ts";

const LETTER = String.raw`[\p{L}\p{N}\p{M}]`;

/** Names of languages, as C++ and F#; letters of scripts without spaces between words; runs of all others. */
const RUN = new RegExp(
  `(?<!${LETTER})[a-z](?:\\+\\+|#)|(?<unspaced>[${LETTER}&&${UNSPACED}]+)|[${LETTER}--${UNSPACED}]+`,
  "gv",
);

/** A character that is a word of its own. */
const WHOLE = /^[\p{Script=Han}\p{Script=Hangul}]$/u;
const HAN = /\p{Script=Han}/u;

/**
 * The distinct words of a text, as they are indexed: folded, 2 to 40 code points. A longer word counts
 * with its first 40. Scripts without spaces give overlapping pairs, and each Han character. Of a text
 * the first 8,000 code points count, and the first 600 words.
 */
export const wordsOf = (text: string): readonly string[] =>
  distinct(allWords(startOf(text, ITEM_LENGTH_MAX), partsOf));

/** The words that a text must have to be found: a pair stands for its two characters. */
export const askedWords = (query: string): readonly string[] => distinct(allWords(query, pairsOf));

function distinct(words: readonly string[]): readonly string[] {
  const known = new Set<string>();
  for (const word of words) {
    if (isTooShort(word)) continue;
    known.add(startOf(word, WORD_LENGTH_MAX));
    if (known.size === ITEM_WORDS_MAX) break;
  }
  return [...known];
}

/** A code point is two UTF-16 units at most, so most words need no counting. */
const isTooShort = (word: string): boolean =>
  word.length < 2 * WORD_LENGTH_MIN && lengthOf(word) < WORD_LENGTH_MIN && !WHOLE.test(word);

const ASCII = /^\p{ASCII}*$/u;
export const isAscii = (text: string): boolean => ASCII.test(text);
const ASCII_RUN = /(?<![a-z0-9])[a-z](?:\+\+|#)|[a-z0-9]+/g;

/** Most texts are ASCII, whose runs a plain expression finds in a fraction of the time. */
function allWords(text: string, splitUp: (run: string) => readonly string[]): readonly string[] {
  if (isAscii(text)) return text.toLowerCase().match(ASCII_RUN) ?? [];
  return Array.from(folded(text).matchAll(RUN), ({ 0: run, groups }) =>
    groups?.["unspaced"] === undefined ? run : splitUp(run),
  ).flat();
}

function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run);
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
}

const partsOf = (run: string): readonly string[] => [
  ...pairsOf(run),
  ...Array.from(run).filter((letter) => HAN.test(letter)),
];
