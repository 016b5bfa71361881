import { nearest } from "../../../platform/kernel/words/nearest.ts";
import { DOCUMENT_WORDS } from "./intent-words.ts";
import { actsIn, actsOf, thingsIn, withoutIdioms } from "./meaning.ts";
import type { Way } from "./other-ways.ts";
import { TOOL_ALIASES, TOOL_RECORDS } from "./tool-records.ts";

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

/** Something that is found: a tool, or one of the documents that a tool reads, by the words of that document alone. */
interface Findable extends Suggested {
  readonly inputSchema?: object;
  /** The name of the document. */
  readonly document?: string;
}

/** The weights of BM25 (Robertson and Zaragoza, 2009), and what a word in the name of a tool counts. */
const K = 1.2;
const B = 0.5;
const IN_NAME = 2;
/** A whole phrase of a tool's words counts so much more. */
const IN_PHRASE = 1.5;
/** How much more a tool counts that does what the intent's words say, the first of them above all. */
const OF_ACT = 2;
/** A tool that is about what the intent names. */
const OF_NOUN = 0.8;
/** What a tool has that does what an intent says to what it names, in words of its own or not. */
const MEANT = 6;
/** A list, where one thing is named, or one thing for many. */
const OF_OTHER_NUMBER = 0.7;
/** Whom tools are for, and where: beside what they do. */
const OF_ALL: ReadonlySet<string> = new Set(["directory", "me", "network", "queue"]);
/** A tool that ends or pays, without a word for that. */
const UNASKED = 0.3;

/** Words that stand in every intent and say nothing of a tool. */
const EMPTY = new Set(
  "a an and are as at be been by can could did do does for from get got give had has have he her here his how i if in into is it its let like make me my no not of on one or our out please shall she should so some somebody someone something anybody any that the their them then there these they this to tool up us use want was we what when where which who why will with would you your need about".split(
    " ",
  ),
);

/** The verbs of tools' names, which say only whether one reads or writes. */
const VERBS = new Set("create find get list record set".split(" "));

/** Acts that end, pay or take back: a word for one is a word for its tools. */
const ENDING_ACTS: ReadonlySet<string> = new Set([
  "end",
  "pay",
  "refund",
  "accept",
  "dispute",
  "renew",
]);

/** An act of giving or sending is a payment only where money is named. */
const GIVING = "give";

/** Words of who wants to know and not to act, wherever they stand. */
const LOOKING =
  /^(?:did|has|have|was|were|who|whom|when|where|which|what|how)\b|\b(?:history|how|status|list of|why)\b/i;

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

interface Indexed<T> {
  readonly tool: T;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  readonly phrases: readonly (readonly string[])[];
  /** Words of which an intent needs one; null for a tool that ends and pays nothing. */
  readonly ending: ReadonlySet<string> | null;
}

/** Fields of nearly every schema, which say nothing of a tool. */
const FIELDS_OF_ALL = new Set("id limit cursor client_ref dry_run token".split(" "));

/** The names of what a tool takes, and the words of its enumerations. */
const fieldsIn = ({ inputSchema }: Findable): string =>
  Object.entries(Object(Object(inputSchema).properties))
    .filter(([field]) => !FIELDS_OF_ALL.has(field))
    .flatMap(([field, schema]) => [field, ...[Object(schema).enum ?? []].flat()])
    .join(" ");

/** A description without the sentences that lead to another tool: their words are for that one. */
const ownWords = (description: string, isOther: (word: string) => boolean): string =>
  description
    .split(/(?<=[.:;]) /)
    .filter((sentence) => !(sentence.match(/[a-z]+_[a-z_]+/g) ?? []).some(isOther))
    .join(" ");

function indexed<T extends Findable>(tool: T, tools: ReadonlySet<string>): Indexed<T> {
  const { document, title } = tool;
  const name = document ?? tool.name;
  const description = ownWords(tool.description, (word) => word !== tool.name && tools.has(word));
  const record = document === undefined ? TOOL_RECORDS[name] : undefined;
  const { words = "", asked = "", ending } = record ?? { asked: DOCUMENT_WORDS[name] };
  const named = name.split("_").filter((word) => !VERBS.has(word));
  const counts = new Map<string, number>();
  const add = (word: string, n: number) => counts.set(word, (counts.get(word) ?? 0) + n);
  for (const word of wordsOf(named.join(" "))) add(word, IN_NAME);
  const texts = wordsOf(`${title} ${description} ${asked} ${fieldsIn(tool)}`.replaceAll("_", " "));
  for (const word of texts) add(word, 1);
  const phrases = [...words.split(","), ...asked.split(",")]
    .map(wordsOf)
    .filter((words) => words.length > 1);
  return {
    tool,
    counts,
    length: named.length * IN_NAME + texts.length,
    phrases,
    ending: ending === undefined ? null : new Set(ending.split(" ").map(stem)),
  };
}

/**
 * Ranks tools by the words of an intent, over name, title, description, fields and words that hosts are not sent; the
 * best first, and each once. A tool that ends, pays or takes back is never first without a word for that, and none that writes is for a name
 * of something that is read.
 */
export function finderOf<T extends Findable>(
  tools: readonly T[],
): (intent: string) => readonly T[] {
  const names = new Set(tools.map(({ name }) => name));
  const texts = tools.map((tool) => indexed(tool, names));
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarity = (word: string): number => {
    const holding = texts.filter(({ counts }) => counts.has(word)).length;
    return holding === 0 ? 0 : Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
  };
  return (sent) => {
    const intent = withoutIdioms(sent);
    const words = new Set(wordsOf(intent.replaceAll("_", " ")));
    const asked = [...words].map((word) => ({ word, rarity: rarity(word) }));
    const isReadName = READING.test(spelledAsOurs(sent.trim()));
    const acts = isReadName ? new Map([["look", 1]]) : actsIn(intent);
    const things = thingsIn(intent);
    const isLooking = acts.get("look") === 1 || LOOKING.test(intent);
    const weighed = ({ tool, counts, length, phrases, ending }: Indexed<T>) => {
      const single = asked.reduce((sum, { word, rarity }) => {
        const n = counts.get(word) ?? 0;
        return sum + (rarity * n * (K + 1)) / (n + K * (1 - B + (B * length) / mean));
      }, 0);
      const whole = phrases
        .filter((phrase) => phrase.every((word) => words.has(word)))
        .flatMap((phrase) => [phrase.reduce((sum, word) => sum + rarity(word), 0)]);
      const isRead = tool.annotations.readOnlyHint === true;
      const own = actsOf(tool.name, isRead);
      const does = Math.max(...own.map((act) => acts.get(act) ?? 0));
      const isList = tool.name.endsWith("_list");
      const about = things
        .filter(({ start }) => tool.name.startsWith(start))
        .map(({ weight, isMany }) => (isRead && isMany !== isList ? OF_OTHER_NUMBER : 1) * weight);
      const thing = Math.max(0, ...about);
      const isOfAnother = thing === 0 && things.some(({ start }) => !OF_ALL.has(start));
      const isMeant = (act: string) =>
        acts.has(act) && (ENDING_ACTS.has(act) || (act === GIVING && thing > 0));
      const isAsked =
        ending === null ||
        (!isOfAnother &&
          ((own.some(isMeant) && !LOOKING.test(intent)) ||
            (!isLooking && [...words].some((word) => ending.has(word)))));
      const score =
        (single + IN_PHRASE * Math.max(0, ...whole) + MEANT * does * thing) *
        (1 + OF_ACT * does) *
        (1 + OF_NOUN * thing) *
        (isAsked ? 1 : UNASKED);
      return { tool, score, isAsked };
    };
    const scored = texts.map(weighed).filter(({ score }) => score > 0);
    const best = Math.max(...scored.map(({ score }) => score));
    const isLast = ({ tool, isAsked }: (typeof scored)[number]) =>
      Number(!isAsked) + Number(isReadName && tool.annotations.readOnlyHint !== true);
    const sorted = scored
      .filter(({ score }) => score >= best / 4)
      .sort((a, b) => b.score - a.score)
      .sort((a, b) => isLast(a) - isLast(b))
      .map(({ tool }) => tool);
    return sorted.filter(({ name }, i) => sorted.findIndex((each) => each.name === name) === i);
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
