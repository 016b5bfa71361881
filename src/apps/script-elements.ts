/** One `<script>` element as it stands in the page. */
interface ScriptElement {
  /** The text between the name and the end of the start tag. */
  readonly attributes: string;
  /** Its text, as the browser hashes it. */
  readonly source: string;
}

/** Nothing that counts stands behind so many characters of attributes. */
const ATTRIBUTES_LENGTH_MAX = 4_096;

/** Elements whose content is text to their end tag, so that no tag is in it (HTML, 13.2.6). */
const RAW =
  /(script|style|textarea|title|xmp|iframe|noembed|noframes|noscript|plaintext)(?=[\t\n\f />])/iy;
const VALUE = /[\t\n\f ]*(?:"[^"]*"|'[^']*'|[^\t\n\f >"'][^\t\n\f >]*)?/y;
const COMMENT_END = /--!?>/g;
const IN_SCRIPT = /<!--|-->|<\/?script(?=[\t\n\f />])/gi;

/**
 * All script elements of a page, in its order; its line ends have to be `\n`. It follows the
 * tokenizer of HTML (13.2.5) as far as a script's place depends on it: comments, quoted attributes and
 * raw text. Foreign content such as SVG is read like HTML. Takes time in proportion to the page.
 */
export function* scriptElements(html: string): Generator<ScriptElement> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    const name = rawNameAt(html, at + 1);
    if (name === null) {
      at = endOfMarkup(html, at);
      continue;
    }
    const start = endOfTag(html, at);
    const end = name === "script" ? endOfScript(html, start) : endOfRaw(html, start, name);
    if (end < 0) return; // Open to the end of the page: the browser runs no such script.
    if (name === "script") {
      const from = at + 1 + name.length;
      const to = Math.min(start - 1, from + ATTRIBUTES_LENGTH_MAX);
      yield { attributes: html.slice(from, to), source: html.slice(start, end) };
    }
    at = endOfTag(html, end);
  }
}

/** In lower case. */
function rawNameAt(html: string, at: number): string | null {
  if (!isLetter(html.charCodeAt(at))) return null;
  RAW.lastIndex = at;
  return RAW.exec(html)?.[1]?.toLowerCase() ?? null;
}

const isLetter = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);

/** Behind a comment, a declaration, an end tag, or the start tag of an element with markup in it. */
function endOfMarkup(html: string, at: number): number {
  const next = html[at + 1];
  if (isLetter(html.charCodeAt(next === "/" ? at + 2 : at + 1))) return endOfTag(html, at);
  if (next !== "!" && next !== "?" && next !== "/") return at + 1;
  if (html.startsWith("<!--", at)) return endOfComment(html, at);
  const end = html.indexOf(">", at);
  return end < 0 ? html.length : end + 1;
}

/** `<!-->` and `<!--->` are whole comments. */
function endOfComment(html: string, at: number): number {
  COMMENT_END.lastIndex = at + 2;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

/** Behind the `>` that stands in no attribute's value. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === ">") return at + 1;
    if (character !== "=") continue;
    VALUE.lastIndex = at + 1;
    if (VALUE.test(html)) at = VALUE.lastIndex - 1;
  }
  return html.length;
}

const RAW_ENDS = new Map<string, RegExp>();

/** Where the end tag begins; -1 when there is none. */
function endOfRaw(html: string, from: number, name: string): number {
  const end = RAW_ENDS.get(name) ?? new RegExp(`</${name}(?=[\\t\\n\\f />])`, "gi");
  RAW_ENDS.set(name, end);
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

/**
 * Where the end tag of a script begins; -1 when there is none. After `<!--` a `<script` inside hides
 * the next end tag, up to `-->` (HTML, 13.2.5.20 to 13.2.5.31).
 */
function endOfScript(html: string, from: number): number {
  IN_SCRIPT.lastIndex = from;
  let state: "plain" | "escaped" | "doubly escaped" = "plain";
  for (let found = IN_SCRIPT.exec(html); found !== null; found = IN_SCRIPT.exec(html)) {
    const [what] = found;
    if (what === "-->") state = "plain";
    else if (what === "<!--") {
      if (state === "plain") state = "escaped";
      IN_SCRIPT.lastIndex = found.index + 2; // `<!-->` ends what it begins.
    } else if (what[1] !== "/") {
      if (state === "escaped") state = "doubly escaped";
    } else if (state === "doubly escaped") state = "escaped";
    else return found.index;
  }
  return -1;
}
