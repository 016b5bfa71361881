import { foreignText, type Place, placesOf } from "./foreign-content.ts";

/** One `<script>` element as it stands in the page. */
interface ScriptElement {
  /** The text between the name and the end of the start tag. */
  readonly attributes: string;
  /** Its text, as the browser hashes it; null where that is not known. */
  readonly source: string | null;
  /** Whether it is one of SVG, whose address is in `href`. */
  readonly isSvg: boolean;
}

/** Nothing that counts stands behind so many characters of attributes. */
const ATTRIBUTES_LENGTH_MAX = 4_096;

/** Elements whose content is text to their end tag, so that no tag is in it (HTML, 13.2.6). */
const RAW: ReadonlySet<string> = new Set(
  "script style textarea title xmp iframe noembed noframes noscript plaintext".split(" "),
);
const NAME = /[A-Za-z][^\t\n\f />]{0,31}(?=[\t\n\f />])/y;
const VALUE = /[\t\n\f ]*(?:"[^"]*"|'[^']*'|[^\t\n\f >"'][^\t\n\f >]*)?/y;
const COMMENT_END = /--!?>/g;
const IN_SCRIPT = /<!--|-->|<\/?script(?=[\t\n\f />])/gi;

/**
 * All script elements of a page, in its order; its line ends have to be `\n`. It follows the
 * tokenizer of HTML (13.2.5) as far as a script's place depends on it: comments, quoted attributes, raw
 * text, and where SVG and MathML begin and end. Takes time in proportion to the page.
 */
export function* scriptElements(html: string): Generator<ScriptElement> {
  const places = placesOf();
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    const isEnd = html[at + 1] === "/";
    const name = nameAt(html, isEnd ? at + 2 : at + 1);
    const place = places.current();
    if (isEnd || name === null) {
      at = endOfMarkup(html, at, place);
      if (isEnd && name !== null) places.leave(name);
      continue;
    }
    const { end: start, isClosed } = tagAt(html, at);
    const isRaw = RAW.has(name) && place === "html";
    if (!isRaw && (name !== "script" || place !== "svg")) {
      places.enter(name, isClosed);
      at = start;
      continue;
    }
    const isOpen = place === "html" || !isClosed;
    const end = isOpen ? endOfContent(html, start, name, place) : start;
    if (end < 0) return; // Open to the end of the page: the browser runs no such script.
    if (name === "script") {
      const from = at + 1 + name.length;
      const attributes = html.slice(from, Math.min(start - 1, from + ATTRIBUTES_LENGTH_MAX));
      const text = html.slice(start, end);
      const isSvg = place === "svg";
      yield { attributes, source: isSvg ? foreignText(text) : text, isSvg };
    }
    at = isOpen ? tagAt(html, end).end : end;
  }
}

/** In lower case; null where no name stands, or none that counts. */
function nameAt(html: string, at: number): string | null {
  NAME.lastIndex = at;
  return NAME.exec(html)?.[0].toLowerCase() ?? null;
}

const isLetter = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);

/** Behind a comment, a declaration, an end tag, a tag without a name that counts, or text of SVG. */
function endOfMarkup(html: string, at: number, place: Place): number {
  const next = html[at + 1];
  if (isLetter(html.charCodeAt(next === "/" ? at + 2 : at + 1))) return tagAt(html, at).end;
  if (next !== "!" && next !== "?" && next !== "/") return at + 1;
  if (html.startsWith("<!--", at)) return endOfComment(html, at);
  const isText = place !== "html" && html.startsWith("<![CDATA[", at);
  const mark = isText ? "]]>" : ">";
  const end = html.indexOf(mark, at);
  return end < 0 ? html.length : end + mark.length;
}

/** `<!-->` and `<!--->` are whole comments. */
function endOfComment(html: string, at: number): number {
  COMMENT_END.lastIndex = at + 2;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
}

/** Where a tag ends: behind the `>` that stands in no attribute's value. A slash may stand before it. */
function tagAt(html: string, from: number): { readonly end: number; readonly isClosed: boolean } {
  let valueEnd = from;
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === ">") return { end: at + 1, isClosed: html[at - 1] === "/" && valueEnd < at };
    if (character !== "=") continue;
    VALUE.lastIndex = at + 1;
    if (VALUE.test(html)) {
      valueEnd = VALUE.lastIndex;
      at = valueEnd - 1;
    }
  }
  return { end: html.length, isClosed: false };
}

const RAW_ENDS = new Map<string, RegExp>();

/** Where the end tag begins; -1 when there is none. */
function endOfContent(html: string, from: number, name: string, place: Place): number {
  if (name === "script" && place === "html") return endOfScript(html, from);
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
