import { type Destination, Rejection } from "../../platform/kernel/contract/errors.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { type Asked, type AskedId, readPath } from "./asked-path.ts";
import { BASE } from "./base-path.ts";
import { once, type Way, waysOf } from "./route-forms.ts";
import { FILLERS, MADE_BY, MEANS, OF_AGENTS, READING, WORDS_OF_METHODS } from "./route-words.ts";
import type { Document, Gate } from "./routes.ts";

/** A longer path is not looked at, nor one of more words. */
const PATH_LENGTH_MAX = 64;
const WORDS_MAX = 5;
/** The nearest meanings of one path are compared with the routes. */
const MEANINGS_MAX = 60;
/** Parts of a path that are looked for alone have at most so many words. */
const PART_MAX = 2;
/** Look-ups of a process in one second. */
const LOOKUPS_MAX = 100;
const SHOWN_MAX = 2;

/** What a path asked for that is none, or has another method. */
export interface Near {
  readonly did_you_mean: readonly Destination[];
  /** The part of the catalogue that its first word is about. */
  readonly tag: string | null;
  /** It asked for the Model Context Protocol. */
  readonly isMcp: boolean;
  /** It asked to delete an agent. */
  readonly endsAgent: boolean;
}

type Find = (path: string, asked: { readonly method: string; readonly began_ms: number }) => Near;

const NONE: Near = { did_you_mean: [], tag: null, isMcp: false, endsAgent: false };

const isOfMcp = (form: string): boolean => form === "mcp" || form === once(["mcp", "open"]);

/** A sequence of words that a path may mean; less is nearer. */
interface Meaning {
  readonly form: string;
  readonly cost: number;
}

/** What a word, or two, may stand for, with the cost of each. */
function meaningsOf(words: readonly string[]): readonly Meaning[] {
  let made: { readonly words: readonly string[]; readonly next: number; readonly cost: number }[] =
    [{ words: [], next: 0, cost: 0 }];
  for (let place = 0; place < words.length; place++) {
    made = made.flatMap((each) => {
      if (each.next !== place) return [each];
      const word = words[place] ?? "";
      const step = (said: string, cost: number, length = 1) => ({
        words: said === "" ? each.words : [...each.words, ...said.split(" ")],
        next: place + length,
        cost: each.cost + cost,
      });
      const next = words[place + 1];
      const pair =
        next === undefined
          ? []
          : (MEANS.get(`${word} ${next}`) ?? MEANS.get(`${next} ${word}`) ?? []);
      return [
        step(word, 0),
        ...(MEANS.get(word) ?? []).map((said, i) => step(said, i + 1)),
        ...pair.map((said, i) => step(said, i + 0.5, 2)),
        ...(FILLERS.has(word) ? [step("", 0.25)] : []),
      ];
    });
    if (made.length > MEANINGS_MAX)
      made = made.sort((a, b) => a.cost - b.cost).slice(0, MEANINGS_MAX);
  }
  return made
    .map(({ words: all, cost }) => ({ form: once(all), cost }))
    .sort((a, b) => a.cost - b.cost);
}

/**
 * The routes that somebody may have meant who asked for a path that is none, or has another method: one, or two. A read
 * is only answered with reads. A write is named only where every word of the path says so, so that nothing that pays,
 * ends or takes back is named without a word for it. Ids of the path stand under the names of the fields that take them.
 * Beyond 100 look-ups a second there are none.
 */
export function nearRoutes({
  registry,
  documents,
  gates,
}: {
  readonly registry: readonly BoundOperation[];
  readonly documents: readonly Pick<Document, "path">[];
  readonly gates: readonly Pick<Gate, "path" | "methods">[];
}): Find {
  const ways = waysOf(registry, [
    ...documents.map(({ path }) => ({ method: "GET", path })),
    ...gates.flatMap(({ path, methods }) => methods.map((method) => ({ method, path }))),
  ]);
  const byForm = new Map<string, Way[]>();
  for (const way of ways)
    for (const form of way.forms) byForm.set(form, [...(byForm.get(form) ?? []), way]);
  const ours = new Set([...byForm.keys()].flatMap((form) => form.split(" ")));
  const mcp = ways.filter(({ method, forms }) => method === "POST" && forms.some(isOfMcp));
  const written = new Set(ways.flatMap(({ method, tag }) => (method === "POST" ? [tag] : [])));
  const isAffordable = allowance(LOOKUPS_MAX);

  /** The ways that a sequence of words leads to, the nearest first, each with the ids in its fields. */
  function found(asked: Asked, words: readonly string[], isRead: boolean): readonly Destination[] {
    if (words.length === 0 || words.length > WORDS_MAX) return [];
    // `/answer/7` is the answer 7, and `/request/answer` takes a request.
    const [thing = ""] = asked.words;
    const isOwn =
      asked.words.length === 1 &&
      ways.some(
        (way) => isReadOf(thing)(way) && way.parameter !== null && way.ids[0]?.kind === thing,
      );
    const all = meaningsOf(words).flatMap(({ form, cost }) =>
      (byForm.get(form) ?? [])
        .filter(({ method }) => (method === "GET") === isRead)
        .flatMap((way) => {
          const filled = filledIn(way, asked.ids, { form, isOwn });
          if (filled === null) return [];
          return [{ ...filled, cost: cost + filled.cost + way.distance, way }];
        }),
    );
    const sorted = all.sort((a, b) => a.cost - b.cost);
    const [first] = sorted;
    if (first === undefined) return [];
    const shown = isRead ? sorted : sorted.filter(({ cost }) => cost === first.cost);
    const seen = new Map(
      shown.map(({ destination }) => [JSON.stringify(destination), destination] as const),
    );
    return [...seen.values()].slice(0, SHOWN_MAX);
  }

  const readsNear = (asked: Asked): readonly Destination[] => {
    const { words, ids } = asked;
    const lengths = Array.from({ length: Math.min(PART_MAX, words.length) }, (_, i) => i + 1);
    const heads = lengths.reverse().map((length) => words.slice(0, length));
    const tails = lengths.map((length) => words.slice(-length));
    // The path of a write says the thing first, and what is done with it last.
    const isWrite = ways.some(
      ({ method, words: own }) => method === "POST" && own.join(" ") === words.join(" "),
    );
    const parts = ids.length > 0 || isWrite ? [...heads, ...tails] : [...tails, ...heads];
    for (const some of [words, ...parts]) {
      const reads = found(asked, some, true);
      if (reads.length > 0) return reads;
    }
    return [];
  };

  function writesNear(asked: Asked, method: string): readonly Destination[] {
    if (asked.isStrange || (asked.isMisspelt && asked.words.length + asked.ids.length > 1))
      return [];
    if (asked.words.some((word) => READING.has(word))) return found(asked, asked.words, true);
    const more = WORDS_OF_METHODS[method];
    const words = more === undefined ? asked.words : [...asked.words, more];
    const writes = found(asked, words, false);
    if (writes.length > 0) return withReadOf(writes, asked);
    if (more !== undefined) return [];
    const about = writesAbout(ways, asked);
    return about.length > 0 ? about : found(asked, words, true);
  }

  /** A write that needs an id of another kind than the path has comes with the read that shows it. */
  function withReadOf(writes: readonly Destination[], asked: Asked): readonly Destination[] {
    const [write, second] = writes;
    const way = ways.find(({ method, path }) => method === write?.method && path === write?.path);
    const missing = way?.ids.some(
      ({ field, required }) => required && !(field in (write?.fields ?? {})),
    );
    if (write === undefined || second !== undefined || missing !== true || asked.ids.length === 0)
      return writes;
    const [read] = found(asked, asked.words.slice(0, 1), true);
    return read === undefined ? writes : [write, read];
  }

  /** The doors of MCP, first the one that was asked for. */
  const doorsFor = (path: string): readonly Destination[] =>
    mcp
      .map(({ method, path: at }) => ({ method, path: at }))
      .sort((a, b) => (/open/i.test(path) ? -1 : 1) * (a.path.length - b.path.length));

  return (path, { method, began_ms }) => {
    if (path.length > PATH_LENGTH_MAX || !isAffordable(began_ms)) return NONE;
    const asked = readPath(path, ours);
    const { words } = asked;
    if (asked.isMcp) return { ...NONE, did_you_mean: doorsFor(path), isMcp: true };
    const isAgents = words.length > 0 && words.every((word) => OF_AGENTS.has(word));
    if (method === "DELETE" && isAgents) return { ...NONE, endsAgent: true };
    const isRead = method === "GET" || method === "HEAD";
    const did_you_mean = isRead ? readsNear(asked) : writesNear(asked, method);
    const about = words[0] === undefined ? [] : meaningsOf(words.slice(0, 1));
    const [first] = about
      .flatMap(({ form }) => byForm.get(form) ?? [])
      .filter(({ tag }) => written.has(tag));
    return { ...NONE, did_you_mean, tag: isRead ? null : (first?.tag ?? null) };
  };
}

/**
 * The writes about a thing whose own path only reads: those below its word that take its id and lack the fewest others,
 * and the one that makes it. None that pays, ends or takes back, because no word asks for that.
 */
function writesAbout(ways: readonly Way[], { words, ids }: Asked): readonly Destination[] {
  const [thing = "", ...more] = words;
  if (more.length > 0 || !ways.some(isReadOf(thing))) return [];
  const fitting = ways
    .filter(({ method, destroys }) => method === "POST" && !destroys)
    .flatMap((way) => {
      const { destination } = filledIn(way, ids, { form: thing, isOwn: true }) ?? {};
      const fields = destination?.fields ?? {};
      if (destination === undefined || Object.keys(fields).length < ids.length) return [];
      const lacks = way.ids.filter(({ field, required }) => required && !(field in fields));
      return [{ destination, lacks: lacks.length, path: way.words }];
    });
  const below = fitting.filter(({ path }) => path.length === 2 && path[0] === thing);
  const least = Math.min(...below.map(({ lacks }) => lacks));
  const making = fitting.filter(({ path }) => path.join(" ") === MADE_BY.get(thing));
  return [...below.filter(({ lacks }) => lacks === least), ...making]
    .map(({ destination }) => destination)
    .slice(0, SHOWN_MAX);
}

/** Whether a way reads what a path of this one word names. */
const isReadOf =
  (thing: string) =>
  ({ method, words }: Way): boolean =>
    method === "GET" && words.length === 1 && words[0] === thing;

/** Whether one more may be done in this second. */
function allowance(max: number): (now_ms: number) => boolean {
  let second = 0;
  let left = max;
  return (now_ms) => {
    const now = Math.floor(now_ms / 1_000);
    if (now !== second) [second, left] = [now, max];
    left -= 1;
    return left >= 0;
  };
}

/**
 * A way with the ids of a path in its fields; null for a write that has no place for one of them. The id of a thing that
 * the route begins with may stay out: `/request/1/accept` says a request, and the route takes an answer. `isOwn`: an id
 * is of the thing before it, and of no other.
 */
function filledIn(
  way: Way,
  ids: readonly AskedId[],
  { form, isOwn }: { readonly form: string; readonly isOwn: boolean },
): { readonly destination: Destination; readonly cost: number } | null {
  const said = form.split(" ");
  const fields: Record<string, string | number> = {};
  let unplaced = 0;
  const free = () => way.ids.filter(({ field }) => !(field in fields));
  for (const { value, kinds, behind, isLast } of ids) {
    const isOfKind = ({ kind, word }: Way["ids"][number]) =>
      kinds.has(kind) && (word === null || said.includes(word));
    const sole = free().filter(({ required }) => required);
    const isObject =
      !isOwn && isLast && way.words.length > 1 && behind === way.words.at(-1) && sole.length === 1;
    const target = free().find(isOfKind) ?? (isObject ? sole[0] : undefined);
    if (target !== undefined && (target.kind === "agent") === (typeof value === "string"))
      fields[target.field] = value;
    else if (way.method !== "GET" && !way.words.slice(0, -1).includes(behind ?? "")) return null;
    else unplaced += 1;
  }
  for (const { field, kind, word } of free())
    if (word !== null && said.includes(word) && way.method !== "GET")
      fields[field] = `{${kind}_id}`;
  const { method, parameter } = way;
  const inPath = parameter === null ? undefined : fields[parameter];
  const path = inPath === undefined ? way.path : way.path.replace(`{${parameter}}`, String(inPath));
  if (parameter !== null) delete fields[parameter];
  const missing =
    way.method !== "GET" ? 0 : way.required.filter((f) => !(f in fields) && f !== parameter).length;
  const lacksId = parameter !== null && inPath === undefined ? 10 : 0;
  const destination = { method, path, ...(Object.keys(fields).length > 0 && { fields }) };
  return { destination, cost: 2 * unplaced + 0.1 * missing + lacksId };
}

const LISTED = `GET ${BASE} lists every route.`;

/** `POST /api/v1/request/answer with request_id 1`. */
const worded = ({ method, path, fields = {} }: Destination): string => {
  const said = Object.entries(fields).map(([field, value]) => `${field} ${value}`);
  return `${method} ${path}${said.length === 0 ? "" : ` with ${said.join(", ")}`}`;
};

const question = (all: readonly Destination[]): string[] =>
  all.length === 0 ? [] : [`Did you mean ${all.map(worded).join(" or ")}?`];

function mcpAt(baseUrl: string): string {
  const at = `${baseUrl}${BASE}/mcp`;
  return `MCP (streamable HTTP) is at POST ${at} with a token, and at POST ${at}/open without one.`;
}

/** Where the writes of a part stand with their fields. */
const writesOf = (tag: string): string =>
  `GET ${BASE}?tag=${tag}&types=1 shows the writes of this part with their fields.`;

/** The refusal of a path that is none; `near`: what may have been meant. */
export function notFound(
  { did_you_mean, tag, isMcp, endsAgent }: Near,
  baseUrl: string,
): Rejection {
  if (isMcp)
    return new Rejection("not_found", `Nothing is here. ${mcpAt(baseUrl)}`).teach({ did_you_mean });
  const isUnknown = did_you_mean.length === 0;
  const sentences = [
    "Nothing is here, and nothing was done.",
    ...(endsAgent ? [AGENTS_STAY] : []),
    ...question(did_you_mean),
    isUnknown && tag !== null ? writesOf(tag) : LISTED,
  ];
  const refusal = new Rejection("not_found", sentences.join(" "));
  return isUnknown ? refusal : refusal.teach({ did_you_mean });
}

const LASTING = "Nothing that is published is changed or deleted.";
const AGENTS_STAY = `No agent is deleted, and what it has published stays. POST ${BASE}/profile changes what it says of itself.`;

/** Methods of other services by which things are changed or deleted. */
const CHANGING: ReadonlySet<string> = new Set(["DELETE", "PUT", "PATCH"]);

/** `allow`: the value of the header; `near`: what to say more than the methods. */
export function methodNotAllowed(allow: string, method?: string, near: Near = NONE): Rejection {
  const isRead = method === "GET" || method === "HEAD";
  // A write is told the methods of the path, so a read of it says nothing more.
  const did_you_mean = near.did_you_mean.filter((each) => isRead || each.method === "POST");
  const allowed = allow.split(", ").filter((each) => each !== "OPTIONS");
  const lasts = method !== undefined && CHANGING.has(method) && !allowed.includes("POST");
  const isUnknown = did_you_mean.length === 0 && !isRead && near.tag !== null;
  const sentences = [
    `This path has another method: use ${allowed.join(" or ")}.`,
    ...(lasts ? [near.endsAgent ? AGENTS_STAY : LASTING] : []),
    ...question(did_you_mean),
    ...(isUnknown ? [writesOf(near.tag)] : []),
  ];
  return new Rejection("method_not_allowed", sentences.join(" ")).teach({
    allowed,
    ...(did_you_mean.length > 0 && { did_you_mean }),
  });
}
