/** A noun of the field, such as seal or entry, as it stands behind a number. */
const formOf = (noun: string, count: number): string => {
  if (count === 1) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
};

/** `1 seal`, `2 entries`. */
export const counted = (count: number, noun: string): string => `${count} ${formOf(noun, count)}`;

/** The same for a number that may be large: `2,000 entries`. */
export const countedLong = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${formOf(noun, count)}`;
