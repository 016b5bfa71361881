import type { Destination } from "../../platform/kernel/contract/errors.ts";
import { fieldsOf } from "../../platform/kernel/contract/fields.ts";
import { AGENTS, kindOf } from "../../platform/kernel/words/meaning.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { fullPath } from "./base-path.ts";
import { FILLERS, plainWord } from "./route-words.ts";

/** A field that takes an id, and of which kind of thing; `word`: where its name is no kind, as in `reply_to`. */
interface IdField {
  readonly field: string;
  readonly kind: string;
  readonly word: string | null;
  readonly required: boolean;
}

/** Where a path may have meant to lead. */
export interface Way extends Destination {
  /** The words of its path, without parameters. */
  readonly words: readonly string[];
  /** Its parameter; null where it has none. */
  readonly parameter: string | null;
  readonly ids: readonly IdField[];
  /** Fields that a caller must send. */
  readonly required: readonly string[];
  /** The part of the catalogue that has it. */
  readonly tag: string;
  /** What it costs beside an operation: documents come behind what they are about. */
  readonly distance: number;
  /** Whether it pays, ends or takes back. */
  readonly destroys: boolean;
  /** Sequences of words that mean it. */
  readonly forms: readonly string[];
}

/** The words of a path or a name, in the singular. */
export const wordsIn = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map(plainWord);

/** Each word once, in an order of its own: `answer-request` and `request/answer` are one. */
export const once = (words: readonly string[]): string => [...new Set(words)].sort().join(" ");

const PARAMETER = /\{(\w+)\}/;

/** Names of fields that page through a list. */
const PAGING = /^(?:after|before)_/;

function idsOf(operation: BoundOperation): IdField[] {
  const { path, input } = operation;
  // A read ends in its thing, and a write in what is done with it.
  const said = path.split("/").filter((segment) => !segment.startsWith("{"));
  const thing = said.at(operation.method === "GET" || said.length < 3 ? -1 : -2) ?? "";
  return fieldsOf(operation).flatMap(([field, optional]) => {
    if (PAGING.test(field) || !(field in input.shape)) return [];
    const kind = AGENTS.has(field) ? "agent" : kindOf(field, path);
    if (kind === null) return [];
    const isNamed = field === "id" || field.endsWith("_id") || AGENTS.has(field);
    const word = isNamed ? null : plainWord(field.replace(/_.*/, ""));
    return [{ field, kind: plainWord(kind || thing), word, required: !optional }];
  });
}

/**
 * What means an operation: its path, without the market in front; its tool's name; and the things that its fields name,
 * as in `answer accept` for the field `answer_id` of `/request/accept`.
 */
function formsOf(operation: BoundOperation, words: readonly string[], ids: readonly IdField[]) {
  const { tool = "", item = "" } = operation;
  const [group = "", ...rest] = words;
  const verb = words.at(-1) ?? "";
  const isThing = (word: string | undefined) => ids.some(({ kind }) => kind === word);
  const named = [tool, item].map((name) =>
    name
      .split("_")
      .map(plainWord)
      .filter((word) => word !== "set" && !FILLERS.has(word)),
  );
  // `/order` says enough; `/accept` does not.
  const whole = [words, ...named].flatMap((all) => {
    const [first, second, ...others] = all;
    const isClear = others.length > 0 || isThing(second);
    return first === "market" && isClear ? [all, all.slice(1)] : [all];
  });
  // A read by such a field is the filter of a list.
  const shown = ids.filter(({ word }) => word === null || operation.method === "POST");
  const ofThings = shown.flatMap(({ kind, word }) =>
    word === null
      ? [
          [kind, ...words],
          ...(kind === "agent" || words.length > 2 ? [] : [[kind, verb]]),
          ...(rest.length === 1 ? [[group, kind, verb]] : []),
        ]
      : [[kind, word], [word], [...words, word]],
  );
  return [...new Set([...whole, ...ofThings].map(once))].filter((form) => form !== "");
}

function wayOf(operation: BoundOperation): Way {
  const { method, path, domain } = operation;
  const words = wordsIn(path.replace(PARAMETER, ""));
  const ids = idsOf(operation);
  return {
    method,
    path: fullPath(operation),
    words,
    parameter: PARAMETER.exec(path)?.[1] ?? null,
    ids,
    required: fieldsOf(operation).flatMap(([field, optional]) => (optional ? [] : [field])),
    tag: domain,
    distance: 0,
    destroys: operation.hints?.includes("destroys") === true,
    forms: formsOf(operation, words, ids),
  };
}

const OF_DOCUMENTS = 1.5;

/** Every operation, and every document and door of another protocol that has a path of its own. */
export const waysOf = (
  registry: readonly BoundOperation[],
  others: readonly Destination[],
): readonly Way[] => [
  ...registry.map(wayOf),
  ...others.flatMap(({ method, path }) => {
    const words = wordsIn(path.replace(/^\/api\/v1/, ""));
    const form = once(words.filter((word) => !FILLERS.has(word)));
    if (/[{*]/.test(path) || form === "") return [];
    const none = {
      distance: OF_DOCUMENTS,
      ids: [],
      required: [],
      parameter: null,
      tag: "discovery",
      destroys: false,
    };
    return [{ method, path, words, forms: [form], ...none }];
  }),
];
