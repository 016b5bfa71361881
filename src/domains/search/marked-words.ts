import type { Db } from "../../platform/db/engine.ts";
import { perEngine } from "../../platform/db/rows.ts";
import type { SearchKind } from "../../platform/kernel/contract/entry-kind.ts";

/**
 * Ledger ids whose words share a mark (decision 39). PostgreSQL looks at all rows of a block that have
 * the words. SQLite begins anywhere in a block, and pays for a rare word once for each.
 */
export const blockIdsOf = ({ compiler }: Db): number =>
  perEngine(compiler, { sqlite: () => 1_048_576, postgres: () => 131_072 });

/** The private-use planes 15 and 16 begin here: words never have a character of them. */
const FIRST_MARK = 0xf0000;

/** Stands before the name of a kind, which is stored as a word. */
const KIND_MARK = "\u{e000}";

/** SQLite's tokenizer parts words at these, as in C++ and F#. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["+", "\u{e001}"],
  ["#", "\u{e002}"],
]);

/**
 * Words as they are stored and looked for, with a space between them: each begins with one character that stands for
 * the block.
 */
export function markedWords(block: number, words: readonly string[]): string {
  const mark = String.fromCodePoint(FIRST_MARK + block);
  const marked = words.length === 0 ? "" : mark + words.join(` ${mark}`);
  return marked.replace(/[+#]/g, (sign) => SIGNS.get(sign) ?? sign);
}

/** A kind as a word that no text has. */
export const kindWord = (kind: SearchKind): string => KIND_MARK + kind;
