/** Code points of a query. */
export const QUERY_LENGTH_MAX = 200;
/** Words of a query; all of them must occur. */
export const QUERY_WORDS_MAX = 8;
/** Code points of a result's excerpt and title. */
export const EXCERPT_LENGTH_MAX = 280;
