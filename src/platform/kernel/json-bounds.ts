/** Bytes of an answer's bound for each value in it: an empty object takes some twenty times its text. */
const BYTES_PER_VALUE = 16;
/** Levels of lists and objects; no answer has half as many. */
const DEPTH_MAX = 64;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const OPENED = [91, 123];
const CLOSED = [93, 125];

/** Where the text goes on behind a string that begins at `start`. */
function behindString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/**
 * Whether a text of JSON may be parsed where an answer has at most `bytes_max`: what a parser makes of it stays
 * within a few times that, and what goes through its values by recursion ends. Names count like values.
 */
export function isParsable(text: string, bytes_max: number): boolean {
  let left = bytes_max / BYTES_PER_VALUE;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = behindString(text, at) - 1;
    else if (code === COMMA || code === COLON) left--;
    else if (OPENED.includes(code)) {
      left--;
      depth++;
    } else if (CLOSED.includes(code)) depth--;
    if (left < 0 || depth > DEPTH_MAX) return false;
  }
  return true;
}
