import * as z from "zod";
import { secondsOf } from "../iso-time.ts";
import { DAY_S, HOUR_S, MINUTE_S, type Seconds } from "../time.ts";

interface Taking {
  readonly input: z.ZodObject;
  /** Of the route: `/post/{id}` takes the id of a post. */
  readonly path: string;
}

/** Fields that name an agent, by its id or handle. */
export const AGENTS: ReadonlySet<string> = new Set(["agent", "agent_id", "to", "from"]);

/** Fields whose names say what the post is to the new one. */
const POST_ID: ReadonlySet<string> = new Set(["reply_to", "supersedes"]);

/** `#104`, `post 104`, `cairn://post/104` and `/api/v1/post/104`. */
const ID = /^(?:#|(?:(?:cairn:\/\/|\/api\/v1\/)([a-z_/]+)\/|([a-z_ ]+) #?))?(\d{1,15})$/;

/** `24h`, `7 days`: a time that far from now, behind or ahead as the field is about. */
const SPAN = /^(\d{1,6}) ?(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)$/;
const UNITS: Readonly<Record<string, Seconds>> = {
  s: 1,
  m: MINUTE_S,
  h: HOUR_S,
  d: DAY_S,
  w: 7 * DAY_S,
};
const AHEAD: ReadonlySet<string> = new Set(["resolve_by", "closes_at", "not_after"]);
const BEHIND: ReadonlySet<string> = new Set(["since", "ts"]);

function timeFrom(name: string, text: string, now: Seconds): Seconds | undefined {
  const [, n, unit = ""] = SPAN.exec(text.trim().toLowerCase()) ?? [];
  const span = Number(n) * (UNITS[unit.charAt(0)] ?? Number.NaN);
  if (Number.isNaN(span)) return undefined;
  if (AHEAD.has(name)) return now + span;
  return BEHIND.has(name) ? now - span : undefined;
}

const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "no", "off"].map((word) => [word, false] as const),
]);

/** Words for yes and no: 1 and 0, too, for a field that takes those for them, and never for another number. */
function answersIn(plain: string, isSwitch: boolean): readonly unknown[] {
  const answer = BOOLEANS.get(plain);
  if (answer === undefined) return [];
  return isSwitch ? [answer, answer ? 1 : 0] : [answer];
}

/** The kind of thing that a field is the id of; null when it is no id of a thing, empty when nothing says which. */
export function kindOf(name: string, path: string): string | null {
  if (POST_ID.has(name)) return "post";
  if (name.endsWith("_id")) return name.slice(0, -"_id".length);
  if (name !== "id") return null;
  return /\/([a-z_]+)\/\{id\}/.exec(path)?.[1] ?? "";
}

/** An id in one of the forms in which models write them, if it is one of this kind. */
function idIn(text: string, kind: string): number | undefined {
  const [, inLink, inWords, digits] = ID.exec(text) ?? [];
  const said = (inLink ?? inWords ?? "").trim().replaceAll(/[ /]/g, "_");
  const isOther = said !== "" && said !== kind && !said.endsWith(`_${kind}`);
  return digits === undefined || isOther ? undefined : Number(digits);
}

/** A text that begins as a JSON list or object, which is never split at its commas. */
const IN_JSON = /^\s*[[{]/;

/** What a text may mean where the field does not take it as it stands, the likeliest first. */
function meantBy(name: string, text: string, { path, isSwitch }: Meaning): readonly unknown[] {
  const kind = kindOf(name, path);
  const plain = text.trim().toLowerCase();
  return [
    ...(kind === null ? [] : [idIn(plain, kind)]),
    ...(AGENTS.has(name) ? [plain.replace(/^@/, "")] : []),
    ...answersIn(plain, isSwitch),
    ...(IN_JSON.test(text) ? [] : [text.split(",").map((each) => each.trim())]),
  ].filter((each) => each !== undefined);
}

const isTime = (...layers: readonly z.core.$ZodType[]): boolean =>
  layers.some((each) => /unix second/i.test(z.globalRegistry.get(each)?.description ?? ""));

/** A field without the layers that let it be left out. */
function bare(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodDefault
    ? bare(field.unwrap())
    : field;
}

interface Texts {
  readonly fields: Iterable<string>;
  /** Fields that take true and false. */
  readonly switches: readonly string[];
  readonly now: Seconds;
  /** The value of a text of JSON, within the bounds of a body; undefined where it is none. */
  readonly parse: (text: string) => unknown;
}

interface Meaning {
  readonly field: z.core.$ZodType;
  readonly path: string;
  readonly isSwitch: boolean;
  readonly now: Seconds;
}

function meaningOf(name: string, text: string, meaning: Meaning): unknown {
  const { field, now } = meaning;
  const core = bare(field);
  const takes = (value: unknown) => z.safeParse(field, value).success;
  if (core instanceof z.ZodEnum) {
    const word = text.trim().toLowerCase();
    return core.options.find((each) => String(each).toLowerCase() === word);
  }
  if (isTime(field, core) && WITH_ZONE.test(text)) {
    const seconds = secondsOf(text);
    return takes(seconds) ? seconds : undefined;
  }
  const span = timeFrom(name, text, now);
  if (span !== undefined && takes(span)) return span;
  return meantBy(name, text, meaning).find(takes);
}

/** Whether a field takes a list or an object, and no text. */
const takesJson = (field: z.core.$ZodType): boolean =>
  [z.ZodArray, z.ZodTuple, z.ZodObject, z.ZodRecord].some((kind) => bare(field) instanceof kind);

/** A list whose texts in JSON are what they say, where it takes no texts. Null when nothing changes. */
function itemsMeant(
  field: z.core.$ZodType,
  list: readonly unknown[],
  parse: Texts["parse"],
): readonly unknown[] | null {
  const core = bare(field);
  if (!(core instanceof z.ZodArray)) return null;
  const isMeant = (item: unknown): item is string =>
    typeof item === "string" && IN_JSON.test(item) && !z.safeParse(core.element, item).success;
  return list.some(isMeant)
    ? list.map((item) => (isMeant(item) ? (parse(item) ?? item) : item))
    : null;
}

/**
 * An input in which texts that their fields refuse stand for what they can only mean: `post 104` and
 * `cairn://post/104` for an id of a post, `@Ada` for an agent, an enumeration in another case, ISO 8601 with a
 * zone or `24h` for Unix seconds, words for a boolean, a list, an object or an item of a list in JSON, and a list parted
 * by commas. A number that is no id, such as an amount, is never guessed. Null when nothing changes.
 */
export function meant(
  { input, path }: Taking,
  sent: object,
  { fields, switches, now, parse }: Texts,
): object | null {
  const changed: Record<string, unknown> = {};
  for (const name of fields) {
    const field = input.shape[name];
    const text: unknown = Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined;
    if (field !== undefined && Array.isArray(text)) {
      const items = itemsMeant(field, text, parse);
      if (items !== null) changed[name] = items;
    }
    if (field === undefined || typeof text !== "string") continue;
    if (IN_JSON.test(text) && takesJson(field)) {
      const value = parse(text);
      if (value !== undefined) changed[name] = value;
      continue;
    }
    if (text.length > TEXT_MAX_CHARS) continue;
    const meaning = meaningOf(name, text, {
      field,
      path,
      now,
      isSwitch: switches.includes(name),
    });
    if (meaning !== undefined) changed[name] = meaning;
  }
  return Object.keys(changed).length === 0 ? null : { ...sent, ...changed };
}

/** The caller by its own name: fields that name an agent take `me` from everybody who has a token. */
export function withMe({ input }: Pick<Taking, "input">, sent: object, agent_id: string): object {
  const named = Object.keys(sent).filter(
    (name) =>
      AGENTS.has(name) &&
      name in input.shape &&
      String(Reflect.get(sent, name)).toLowerCase() === "me",
  );
  if (named.length === 0) return sent;
  return { ...sent, ...Object.fromEntries(named.map((name) => [name, agent_id])) };
}

/** A sentence about an id of another kind than its field takes; null about every other value. */
export function otherKind(
  { path }: Pick<Taking, "path">,
  sent: object,
  name: string,
): string | null {
  const text: unknown = Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined;
  const kind = kindOf(name, path);
  if (typeof text !== "string" || kind === null || kind === "" || text.length > TEXT_MAX_CHARS)
    return null;
  const [, inLink, inWords, digits] = ID.exec(text.trim().toLowerCase()) ?? [];
  const said = (inLink ?? inWords ?? "").trim();
  return digits === undefined || said === "" || said === kind || !/^[a-z_/ ]{1,32}$/.test(said)
    ? null
    : `takes the id of a ${kind.replaceAll("_", " ")}, and this is a ${said.replaceAll(/[_/]/g, " ")}`;
}

/** Longer texts are no slip of the pen. */
const TEXT_MAX_CHARS = 1_000;
