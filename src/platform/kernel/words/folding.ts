import { normalized, startOf } from "../text.ts";
import { ITEM_LENGTH_MAX } from "./bounds.ts";

/** Code points after decomposition: a Hangul syllable has 3, and a ligature of Arabic 18. */
const DECOMPOSED_MAX = 3 * ITEM_LENGTH_MAX;

/** Seen by nobody, or for the look alone: soft hyphens, zero-width characters, tatweel. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\u0640\u07fa]+/gu;

/** Vowel points and accents that writers of Hebrew and Arabic leave out. */
const POINTS =
  /[[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u08ca-\u08ff]&&\p{M}]+/gv;

/** Accents that readers leave out: all of Latin and Greek letters; of Cyrillic ones stress, and the dots of yo. */
const ACCENTS =
  /(?<letter>[\p{Script=Latin}\p{Script=Greek}])[[\p{Script=Inherited}]&&\p{M}]+|(?<=[\p{Script=Cyrillic}])[\u0300\u0301]|(?<=[еЕ])\u0308/gv;

/** Letters with a stroke, which no normal form takes apart. */
const STROKES: ReadonlyMap<string, string> = new Map([
  ["đ", "d"],
  ["ħ", "h"],
  ["ł", "l"],
  ["ø", "o"],
]);

/**
 * A text as words are compared: compatible characters are the same (NFKD), and so are the two cases by
 * full folding (Unicode, 3.13), dotless and dotted i, and letters with and without accents.
 */
export function folded(text: string): string {
  const bare = startOf(normalized(text, "NFKD"), DECOMPOSED_MAX)
    .replace(IGNORED, "")
    .replace(POINTS, "")
    .replace(ACCENTS, "$<letter>");
  // Lower case alone keeps the sharp s, upper case alone has two of them, and a sigma knows its place.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  const plain = lower.replace(/[đħłø]/g, (letter) => STROKES.get(letter) ?? letter);
  return normalized(plain, "NFKC");
}
