const SPACE = /[ \t\n\r]*/y;
/** All but quotes, backslashes and controls. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR =
  /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

/** Where the pattern ends that begins at `at`; -1 where none does. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where the string ends that begins at `at`; -1 where none does, or where it breaks a rule. */
function afterString(text: string, at: number): number {
  if (text[at] !== '"') return -1;
  for (let end = at + 1; ; ) {
    end = after(PLAIN, text, end);
    if (text[end] === '"') return end + 1;
    end = after(ESCAPE, text, end);
    if (end < 0) return -1;
  }
}

/** The token that comes next: the first value or a further one, a name, the end of a list, of an object. */
type Next = "value" | "value or ]" | "name" | "name or }" | ":" | "end";

/**
 * The place, in UTF-16 units, of the first token that no JSON text has there; the length of the text
 * where it only ends too early. It reads each unit once, without recursion (RFC 8259, 2).
 */
export function faultIn(text: string): number {
  const open: ("[" | "{")[] = [];
  let next: Next = "value";
  for (let at = after(SPACE, text, 0); at < text.length; at = after(SPACE, text, at)) {
    const sign = text[at];
    const inner = open.at(-1);
    let end = -1;
    if (next === "end") {
      const closes = inner === "[" ? "]" : "}";
      if (inner === undefined) return at;
      if (sign === ",") next = inner === "[" ? "value" : "name";
      else if (sign === closes) open.pop();
      else return at;
      end = at + 1;
    } else if ((sign === "]" && next === "value or ]") || (sign === "}" && next === "name or }")) {
      open.pop();
      next = "end";
      end = at + 1;
    } else if (next === "name" || next === "name or }") {
      end = afterString(text, at);
      next = ":";
    } else if (next === ":") {
      end = sign === ":" ? at + 1 : -1;
      next = "value";
    } else if (sign === "[" || sign === "{") {
      open.push(sign);
      next = sign === "[" ? "value or ]" : "name or }";
      end = at + 1;
    } else {
      end = sign === '"' ? afterString(text, at) : after(SCALAR, text, at);
      next = "end";
    }
    if (end < 0) return at;
    at = end;
  }
  return text.length;
}
