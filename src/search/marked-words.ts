import type { SearchKind } from "./rules.ts";

/** Ledger ids whose words share a mark: 2^17. Decision 39 has the figures. */
const BLOCK_IDS = 131_072;

/** The private-use planes 15 and 16 begin here: words never have a character of them. */
const FIRST_MARK = 0xf0000;

/** Stands before the name of a kind, which is stored as a word. */
const KIND_MARK = "\u{e000}";

/** The block of ids that an id lies in. */
export const blockOf = (id: number): number => Math.floor(id / BLOCK_IDS);

/** The first id of a block. */
export const firstIdOf = (block: number): number => block * BLOCK_IDS;

/** Words as they are stored and looked for: each begins with one character that stands for the block. */
export const markedWords = (block: number, words: readonly string[]): readonly string[] =>
  words.map((word) => String.fromCodePoint(FIRST_MARK + block) + word);

/** A kind as a word that no text has. */
export const kindWord = (kind: SearchKind): string => KIND_MARK + kind;
