/** Code points of a word; a Han or Hangul character is one of its own. */
export const WORD_LENGTH_MIN = 2;
export const WORD_LENGTH_MAX = 40;
/** Code points of a text whose words count, and its distinct words. */
export const ITEM_LENGTH_MAX = 8_000;
export const ITEM_WORDS_MAX = 600;
/** Code points of a question, and its words; all of them must occur. */
export const QUERY_LENGTH_MAX = 200;
export const QUERY_WORDS_MAX = 8;
