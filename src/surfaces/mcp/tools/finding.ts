import { nearest } from "../../../kernel/words/nearest.ts";
import type { Way } from "./other-ways.ts";
import { TOOL_ALIASES } from "./words.ts";

/** A tool as far as it is found by words. */
interface Named {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** A tool that is suggested: a name that reads is never led to one that writes. */
interface Suggested extends Named {
  readonly annotations: { readonly readOnlyHint?: true };
}

/** The weights of BM25 (Robertson and Zaragoza, 2009). */
const K = 1.2;
const B = 0.75;

/** Words that stand in every intent and say nothing of a tool. */
const EMPTY = new Set(
  "a an and are as at be by can do does for from get give has have how i if in is it its let me my no not of on or our please shall so some that the their them there this to up us was we what when where which who will with would you your want need like something somebody someone anybody any tool about".split(
    " ",
  ),
);

/** A word without the endings that English inflects it by: `replies`, `replied` and `reply` are one. */
const stem = (word: string): string =>
  word.length < 4
    ? word
    : word
        .replace(/(?:ies|ied)$/, "y")
        .replace(/ements?$/, "")
        .replace(/(?:ations?|ators?|ates?|ated|ating)$/, "at")
        .replace(/(?:ing|ed|er|ers|es|s)$/, "")
        .replace(/(.)\1$/, "$1")
        .replace(/e$/, "");

const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !EMPTY.has(word)).map(stem);

/** Ranks tools by the words of an intent, over name, title and description; the best first. */
export function finderOf<T extends Named>(tools: readonly T[]): (intent: string) => readonly T[] {
  const texts = tools.map((tool) => {
    const words = wordsOf(`${tool.name} ${tool.title} ${tool.description}`.replaceAll("_", " "));
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { tool, counts, length: words.length };
  });
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarity = (word: string): number => {
    const holding = texts.filter(({ counts }) => counts.has(word)).length;
    return holding === 0 ? 0 : Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
  };
  return (intent) => {
    const asked = [...new Set(wordsOf(intent.replaceAll("_", " ")))].map((word) => ({
      word,
      rarity: rarity(word),
    }));
    const scored = texts.map(({ tool, counts, length }) => {
      const score = asked.reduce((sum, { word, rarity }) => {
        const n = counts.get(word) ?? 0;
        return sum + (rarity * n * (K + 1)) / (n + K * (1 - B + (B * length) / mean));
      }, 0);
      return { tool, score };
    });
    const best = Math.max(...scored.map(({ score }) => score));
    return scored
      .filter(({ score }) => score > 0 && score >= best / 4)
      .sort((a, b) => b.score - a.score)
      .map(({ tool }) => tool);
  };
}

/** A name as it was meant: without what hosts put in front, and in our spelling. */
export function meantName(sent: string, known: (name: string) => boolean): string {
  const bare = sent.replace(/^.*(?:__|[./:])/, "");
  return [sent, bare, spelledAsOurs(bare)].find(known) ?? sent;
}

const spelledAsOurs = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

const NAME_LENGTH_MAX = 100;

/** What no tool does, because nothing that is written is taken back. */
const UNDOING = /(?:^|_)(?:delete|remove|edit|erase|unpost|destroy)(?:_|$)/;

/** A name of something that is read: `post_get`, `get_post`, `read_inbox`, `posts_list`. */
const READING = /^(?:get|read|list|show|fetch|find)_(.+)$|^(.+)_(?:get|read|list|show|fetch|find)$/;

/** How the thing of such a name is read, in the singular and in the plural. */
function wayOf(name: string, ways: ReadonlyMap<string, Way>): Way | undefined {
  const [, last, first] = READING.exec(name) ?? [];
  const noun = last ?? first ?? "";
  return ways.get(`${noun}_get`) ?? ways.get(`${noun.replace(/s$/, "")}_get`);
}

/**
 * A sentence that names the tools that an unknown name may mean: by its alias, by the route or the thing that it
 * reads, by its letters, or by all of its words; empty where it means none, so that nobody is led to another kind of
 * thing.
 */
export function suggestionFor(
  sent: string,
  tools: readonly Suggested[],
  ways: ReadonlyMap<string, Way>,
): string {
  const name = spelledAsOurs(sent.slice(-NAME_LENGTH_MAX).replace(/^.*(?:__|[./:])/, ""));
  const reads = tools.filter(({ annotations }) => annotations.readOnlyHint === true);
  const meant = READING.test(name) ? reads : tools;
  const has = (tool: string | undefined) => tools.some((each) => each.name === tool);
  const alias = TOOL_ALIASES.get(name);
  if (alias !== undefined && has(alias)) return ` Did you mean ${alias}?`;
  if (UNDOING.test(name)) return " Nothing that is public can be changed or deleted.";
  const near = nearest(name, new Set(meant.map((tool) => tool.name)));
  const isList = /^list_|_list$/.test(name) && near.length > 0;
  const way = ways.get(name) ?? (isList ? undefined : wayOf(name, ways));
  if (way !== undefined && has(way.tool)) return ` Did you mean ${way.said}?`;
  const words = wordsOf(name.replaceAll("_", " "));
  const found = finderOf(meant)(name).filter((tool) => {
    const own = new Set(wordsOf(`${tool.name} ${tool.description}`.replaceAll("_", " ")));
    return words.every((word) => own.has(word));
  });
  const shown = near.length > 0 ? near : found.slice(0, 2).map((tool) => tool.name);
  return shown.length === 0 ? "" : ` Did you mean ${shown.join(" or ")}?`;
}
