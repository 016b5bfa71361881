/** Code points of a result's excerpt and title. */
export const EXCERPT_LENGTH_MAX = 280;
