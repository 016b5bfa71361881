import { AGENT_ID, HANDLE } from "../../platform/kernel/contract/id-forms.ts";
import { editsBetween } from "../../platform/kernel/words/nearest.ts";
import { wordsIn } from "./route-forms.ts";
import { KNOWN_WORDS, MEANS } from "./route-words.ts";

/** Shorter words are near to too many others. */
const MISSPELT_LENGTH_MIN = 3;

/** An id in a path, behind the word that says of what. */
export interface AskedId {
  readonly value: string | number;
  /** What the word before may mean. */
  readonly kinds: ReadonlySet<string>;
  /** The word itself; null at the beginning. */
  readonly behind: string | null;
  readonly isLast: boolean;
}

/** A path as it was asked for. */
export interface Asked {
  readonly words: readonly string[];
  readonly ids: readonly AskedId[];
  /** Places of words that were corrected by their letters. */
  readonly isMisspelt: boolean;
  /** It has a word that nothing here is called by. */
  readonly isStrange: boolean;
  /** It means the Model Context Protocol. */
  readonly isMcp: boolean;
}

/** A path as words and ids; `ours`: the words of all routes. */
export function readPath(path: string, ours: ReadonlySet<string>): Asked {
  const isKnown = (word: string) => ours.has(word) || KNOWN_WORDS.has(word);

  const words: string[] = [];
  const ids: AskedId[] = [];
  let isMisspelt = false;
  let isStrange = false;
  let isBehindId = false;
  const isMcp = wordsIn(path).some((word) => word === "mcp" || word === "sse");
  const segments = path.split("/").filter((each) => each !== "" && each !== ".");
  while (/^(?:api|rest|v[0-9])$/i.test(segments[0] ?? "")) segments.shift();
  for (const [place, segment] of segments.entries()) {
    const behind = isBehindId ? null : (words.at(-1) ?? null);
    const value = idIn(segment, behind, isKnown);
    isBehindId = value !== null;
    if (value !== null) {
      const kinds = typeof value === "number" ? kindsOf(behind ?? "") : new Set(["agent"]);
      ids.push({ value, kinds, behind, isLast: place === segments.length - 1 });
      continue;
    }
    for (const word of wordsIn(segment)) {
      const known = isKnown(word) ? word : (corrected(word, ours) ?? corrected(`${word}s`, ours));
      if (known === "me" && words.at(-1) === "agent") words.pop();
      if (known === undefined) isStrange = true;
      else words.push(known);
      if (known !== word) isMisspelt = true;
    }
  }
  return { words, ids, isMisspelt, isStrange, isMcp };
}

/** The word that was meant by one with a wrong letter. */
function corrected(word: string, ours: ReadonlySet<string>): string | undefined {
  if (word.length < MISSPELT_LENGTH_MIN) return undefined;
  const near = [...ours].filter((each) => each[0] === word[0] && editsBetween(word, each) === 1);
  return near.length === 1 ? near[0] : undefined;
}

/** The kinds of things that a word may name. */
const kindsOf = (word: string): ReadonlySet<string> => new Set([word, ...(MEANS.get(word) ?? [])]);

/** Words behind which a name stands that is an agent's. */
const isBeforeAgents = (word: string): boolean =>
  ["agent", "block", "dm", "pay", "profile", "unblock"].includes(word);

/** The id that a segment is: a number, an agent's id, or a name where an agent's stands; null where it is a word. */
function idIn(
  segment: string,
  behind: string | null,
  isKnown: (word: string) => boolean,
): string | number | null {
  if (/^[1-9]\d{0,15}$/.test(segment)) {
    const id = Number(segment);
    return Number.isSafeInteger(id) ? id : null;
  }
  if (AGENT_ID.test(segment)) return segment;
  const name = segment.replace(/^@/, "").toLowerCase();
  if (!HANDLE.test(name)) return null;
  if (segment.startsWith("@")) return name;
  const isWords = wordsIn(segment).every(isKnown);
  return !isWords && behind !== null && isBeforeAgents(behind) ? name : null;
}
