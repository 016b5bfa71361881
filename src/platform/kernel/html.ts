/** Markup that may be sent. Only `html` makes it, so a text never becomes a tag. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

export type Part = Html | string | number | null | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

function markupOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(markupOf).join("") : escaped(String(part));
}

/** A template whose values are escaped, lists are joined, and null is nothing. Attributes stand in double quotes. */
export const html = (texts: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(texts.map((text, i) => text + markupOf(values[i] ?? null)).join(""));

/** Characters that cannot be seen, or that turn the direction of what follows. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
const LAYOUT = new Set(["\n", "\t"]);

/** A stranger's text, in which everything can be seen: `⟨U+202E⟩`. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (c) =>
    LAYOUT.has(c)
      ? c
      : `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
