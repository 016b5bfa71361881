import type * as z from "zod";
import { PARTS_SHOWN_MAX_BYTES } from "../../../domains/requests/rules.ts";
import { PAYLOADS_SHOWN_MAX_BYTES } from "../../../domains/tasks/rules.ts";
import { PAGE_MAX_BYTES } from "../../../platform/kernel/contract/page.ts";
import { sha256, sha256Hex } from "../../../platform/ledger/sha256.ts";
import { byKey, isNear, isRanked, isShown, isWithin, keysOf, type Shown } from "./lists.ts";
import {
  claimedText,
  isSealed,
  type Sealed,
  sealedIn,
  sealedText,
  textOf,
} from "./placeholders.ts";
import { type Definition, definitionsOf, ofField, ofItems, wordsOf } from "./schemas.ts";
import { type Collector, type Seen, seenIn } from "./seen.ts";

/** A value of a service's answer, and of what the ledger makes of it in both fillings. */
interface Three<T = unknown> {
  readonly shown: T;
  readonly first: T;
  readonly second: T;
}

/** How an answer is compared. */
interface Comparing {
  /** Whether a field is not compared, by its place. */
  readonly isUntold: (place: string) => boolean;
  /** The length of the whole answer. */
  readonly bytes: number;
  /** Whether the ledger has entries of kinds that this version does not know. */
  readonly isNewer: boolean;
  /** How many items the page has, where those of later pages are known, too. */
  readonly page: number | null;
}

interface Looking extends Comparing {
  readonly all: Collector;
}

/** Where a value stands. */
interface At {
  /** With the keys of items, for a person. */
  readonly name: string;
  /** Without them. */
  readonly place: string;
  /** Asked for only where something is not as it should be. */
  readonly schemas: () => readonly Definition[];
}

/** Compares an answer with what the ledger makes of it, figure by figure. */
export function compared(
  answer: Three<Shown>,
  output: z.core.$ZodType,
  comparing: Comparing,
): Seen {
  const all = seenIn();
  const root = { name: "", place: "", schemas: () => definitionsOf(output) };
  seeObject({ ...comparing, all }, root, answer);
  return all.seen();
}

/** Looks at a value; `beside` are the objects that hold it. */
function see(looking: Looking, at: At, three: Three, beside: Three<Shown>): void {
  const { all } = looking;
  const { shown, first, second } = three;
  const made = sealedIn(first);
  const other = sealedIn(second);
  if (made !== null && other?.value === made.value) seeText(looking, at, { shown, made, beside });
  else if (isShown(first) && isShown(second)) {
    if (isShown(shown)) seeObject(looking, at, { shown, first, second });
    else all.differ(at.name, shown, "an object");
  } else if (Array.isArray(first) && Array.isArray(second)) {
    if (Array.isArray(shown)) seeList(looking, at, { shown, first, second }, beside);
    else all.differ(at.name, shown, "a list");
  } else if ((first ?? null) === (second ?? null)) seeEqual(looking, at, shown, first);
  else if (isNear(first, second)) {
    all.compared();
    if (!isWithin(first, shown)) all.differ(at.name, shown, `about ${first}`);
  } else {
    const figure = figureOf(three, beside);
    if (figure === undefined) all.open(at.place);
    else seeEqual(looking, at, shown, figure);
  }
}

/** A value that the ledger determines; a word that only newer versions say counts as newer. */
function seeEqual({ all, isNewer }: Looking, at: At, shown: unknown, made: unknown): void {
  all.compared();
  if ((shown ?? null) === (made ?? null)) return;
  const words = wordsOf(at.schemas());
  if (isNewer && typeof shown === "string" && words?.includes(shown) === false)
    all.newer(`${at.name} ${shown}`);
  else all.differ(at.name, shown, made);
}

/** Texts that a long answer may leave out, and from which length on. */
const LEFT_OUT_BYTES: Readonly<Record<string, number>> = {
  parts: PARTS_SHOWN_MAX_BYTES / 2,
  payload: PAYLOADS_SHOWN_MAX_BYTES / 2,
};

interface ShownText {
  readonly shown: unknown;
  readonly made: Sealed;
  readonly beside: Three<Shown>;
}

function seeText({ all, bytes }: Looking, at: At, { shown, made, beside }: ShownText): void {
  all.compared();
  const left_bytes = LEFT_OUT_BYTES[at.place.split(".").at(-1) ?? ""];
  if (shown === null && left_bytes !== undefined && bytes > left_bytes) return;
  if (!isSealed(shown, made, Object.values(beside.shown)))
    all.differ(at.name, claimedText(shown, made), sealedText(made));
}

/** Fields that follow from how many items of a list an answer has room for. */
const AFTER_A_LIST = ["count", "more", "next", "next_before_id"];

function seeObject(looking: Looking, at: At, three: Three<Shown>): void {
  const { all, isUntold } = looking;
  const { shown, first, second } = three;
  all.object();
  const names = Object.keys({ ...first, ...second, ...shown });
  const lists = names.filter((name) => Array.isArray(first[name]));
  const cut = new Set<string>();
  for (const name of lists.length === 0 ? names : new Set([...lists, ...names])) {
    const under = (path: string) => (path === "" ? name : `${path}.${name}`);
    const schemas = () => ofField(at.schemas(), name);
    const inner = { name: under(at.name), place: under(at.place), schemas };
    if (isUntold(inner.place) || cut.has(name) || isLeftOut(looking, name, shown)) continue;
    const isUnknown = !Object.hasOwn(first, name) && !Object.hasOwn(second, name);
    if (isUnknown && schemas().length === 0) all.newer(inner.name);
    else {
      const values = { shown: shown[name], first: first[name], second: second[name] };
      see(looking, inner, values, three);
      if (isCutShort(looking, values))
        for (const each of [...AFTER_A_LIST, `${name}_more`]) cut.add(each);
    }
  }
}

/** That parts were left out of a long answer is said beside them. */
const isLeftOut = ({ bytes }: Looking, name: string, shown: Shown): boolean =>
  name === "parts_left_out" &&
  shown[name] === true &&
  shown["parts"] === null &&
  bytes > PARTS_SHOWN_MAX_BYTES / 2;

/** No item of a list is larger than this: nearer to the end of a page its next one may have no room. */
const ITEM_MAX_BYTES = 400 * 1_024;

/** Items may fill a page before their number does. */
const isCutShort = ({ bytes }: Looking, { shown, first }: Three): boolean =>
  Array.isArray(shown) &&
  Array.isArray(first) &&
  shown.length > 0 &&
  shown.length < first.length &&
  bytes + ITEM_MAX_BYTES > PAGE_MAX_BYTES;

function seeList(
  looking: Looking,
  at: At,
  three: Three<readonly unknown[]>,
  beside: Three<Shown>,
): void {
  const { all, page } = looking;
  const { shown, first, second } = three;
  if (![...first, ...second, ...shown].some(isShown)) {
    const words = JSON.stringify(first);
    const others = JSON.stringify(second);
    if (words === others) seeEqual(looking, at, JSON.stringify(shown), words);
    else all.open(at.place);
    return;
  }
  all.compared();
  const keys = keysOf(shown);
  const firsts = byKey(first);
  const seconds = byKey(second);
  const made = [...firsts.keys()];
  const expected = isCutShort(looking, three) ? made.slice(0, keys.length) : made;
  const isWhole = page !== null || !hasMore(beside.first, at);
  const isRight =
    made.join(" ") === [...seconds.keys()].join(" ")
      ? keys.join(" ") === expected.join(" ")
      : isRanked(shown, { firsts, seconds, length: page ?? first.length, isWhole });
  if (!isRight) all.differ(`${at.name} in order`, keys.join(" "), expected.join(" "));
  for (const [i, item] of shown.entries()) {
    const key = keys[i] ?? "";
    // Where one is missing, the order says so, or it is on a later page of the other.
    if (!firsts.has(key) || !seconds.has(key)) continue;
    const inner = {
      name: `${at.name} ${key}`,
      place: at.place,
      schemas: () => ofItems(at.schemas()),
    };
    see(looking, inner, { shown: item, first: firsts.get(key), second: seconds.get(key) }, ALONE);
  }
}

const ALONE: Three<Shown> = { shown: {}, first: {}, second: {} };

/** Whether a list is the beginning of a longer one. */
const hasMore = (of: Shown, { place }: At): boolean =>
  (of[`${place.split(".").at(-1)}_more`] ?? of["more"]) === true;

/** Figures of a text, and of one with a salt, that stand beside it. */
const FIGURES: readonly ((text: string, salt: string) => unknown)[] = [
  (text) => Buffer.byteLength(text),
  sha256Hex,
  (text, salt) => sha256(Buffer.concat([Buffer.from(salt, "hex"), Buffer.from(text)])).toHex(),
];

/**
 * Of a figure that differs between the fillings: what it has to be if it is one of a text beside it in both.
 * Undefined when it is none, or when the text is not shown.
 */
function figureOf({ first, second }: Three, beside: Three<Shown>): unknown {
  const texts = Object.keys(beside.first).filter(
    (name) => sealedIn(beside.first[name]) !== null && beside.shown[name] != null,
  );
  const salts = ["", ...Object.keys(beside.first)];
  const saltIn = (of: Shown, name: string) => (name === "" ? "" : textOf(of[name]));
  for (const text of texts)
    for (const salt of salts)
      for (const figure of FIGURES) {
        const of = (answer: Shown) => figure(textOf(answer[text]), saltIn(answer, salt));
        if (of(beside.first) === first && of(beside.second) === second) return of(beside.shown);
      }
  return undefined;
}
