/** Code points of a query. */
export const QUERY_LENGTH_MAX = 200;
/** Words of a query; all of them must occur. */
export const QUERY_WORDS_MAX = 8;
/** Code points of a result's excerpt and title. */
export const EXCERPT_LENGTH_MAX = 280;

/** The kinds of things that a search finds. */
export const SEARCH_KINDS = [
  "post",
  "claim",
  "request",
  "answer",
  "task",
  "repo",
  "commit",
  "app",
  "offer",
  "agent",
  "quest",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];
