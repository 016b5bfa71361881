/** Which rules of parsing hold: a script of HTML is raw text, one of SVG is markup, MathML has none. */
export type Place = "html" | "svg" | "math";

/** Tags that end SVG and MathML wherever they stand (HTML, 13.2.6.5). */
const BREAKOUT: ReadonlySet<string> = new Set(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split(
    " ",
  ),
);

/** Elements of SVG and MathML whose content is HTML again (HTML, 13.2.6). */
const INTEGRATION: Readonly<Record<Exclude<Place, "html">, ReadonlySet<string>>> = {
  svg: new Set(["foreignobject", "desc", "title"]),
  math: new Set(["mi", "mo", "mn", "ms", "mtext", "annotation-xml"]),
};

/** Where a reader of a page is, while it comes from tag to tag. */
interface Places {
  current(): Place;
  enter(name: string, isClosed: boolean): void;
  leave(name: string): void;
}

export function placesOf(): Places {
  const open: { readonly name: string; readonly place: Place }[] = [];
  /** How many of a name are open, so that an end tag without a start costs nothing. */
  const counts = new Map<string, number>();
  const current = (): Place => open.at(-1)?.place ?? "html";
  const count = (name: string, change: 1 | -1) =>
    counts.set(name, (counts.get(name) ?? 0) + change);
  const push = (name: string, place: Place) => {
    open.push({ name, place });
    count(name, 1);
  };
  const pop = (): string => {
    const { name = "" } = open.pop() ?? {};
    count(name, -1);
    return name;
  };
  return {
    current,
    enter(name, isClosed) {
      const place = current();
      if (place !== "html" && BREAKOUT.has(name)) while (current() !== "html") pop();
      if (isClosed) return;
      if (name === "svg" && place !== "math") push(name, "svg");
      else if (name === "math" && place !== "svg") push(name, "math");
      else if (place !== "html" && INTEGRATION[place].has(name)) push(name, "html");
    },
    leave(name) {
      if ((counts.get(name) ?? 0) > 0) while (pop() !== name);
    },
  };
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Text of CDATA, a comment, and a character that is named or numbered, and what else needs a parser. */
const PART =
  /<!\[CDATA\[(.*?)\]\]>|<!--.*?-->|&(amp|lt|gt|quot|apos);|&#(\d{1,7});|&#x([\da-f]{1,6});|[<&]/gis;

/** The text of a script of SVG as a browser hashes it; null where more than these parts is in it. */
export function foreignText(markup: string): string | null {
  let text = "";
  let from = 0;
  for (const match of markup.matchAll(PART)) {
    const [part, cdata, name, ten, hex] = match;
    const known = part.startsWith("<!--") ? "" : (cdata ?? characterOf(name, ten, hex));
    if (known === null) return null;
    text += markup.slice(from, match.index) + known;
    from = match.index + part.length;
  }
  return text + markup.slice(from);
}

/** The character behind a reference; null where HTML has a rule of its own for it. */
function characterOf(name?: string, ten?: string, hex?: string): string | null {
  if (name !== undefined) return NAMED.get(name) ?? null;
  const point = ten === undefined ? Number.parseInt(hex ?? "", 16) : Number(ten);
  const isPlain = (point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point < 0xd800);
  return isPlain || point === 9 || point === 10 ? String.fromCodePoint(point) : null;
}
