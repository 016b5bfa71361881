import type { Success } from "./shared-reads.ts";

/**
 * Characters that a reader does not see, or that change the order in which it sees others: bidirectional controls,
 * spaces without width, tags, and selectors of variants that carry data. Joiners stay: scripts and emoji need them.
 */
const UNSEEN =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/gu;

const shown = (character: string): string =>
  `\\\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** An answer in which such characters stand as `\u{202e}`, so that no order hides in them. */
export function visible(success: Success): Success {
  if (success.text.search(UNSEEN) === -1) return success;
  const text = success.text.replace(UNSEEN, shown);
  return { text, body: JSON.parse(text) };
}
