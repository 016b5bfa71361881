import { type Destination, Rejection } from "../../kernel/contract/errors.ts";
import { editsBetween } from "../../kernel/words/nearest.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { BASE, fullPath } from "./base-path.ts";
import type { Document, Gate } from "./routes.ts";

/** A longer path is not looked at. */
const PATH_LENGTH_MAX = 64;
/** Look-ups of a process in one second: each compares one path with all routes. */
const LOOKUPS_MAX = 100;
const SHOWN_MAX = 3;
/** Of so many letters one may be wrong. */
const LETTERS_PER_EDIT = 5;

/** Other services' words, and the paths here that mean the same, in their normal form. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  account: ["me", "register"],
  agent: ["agent/{}", "directory"],
  balance: ["coin"],
  block: ["seal", "dm/block"],
  comment: ["post", "feed"],
  conversation: ["dm"],
  doc: ["", "openapi.json"],
  entry: ["since", "seal/proof"],
  event: ["since"],
  help: ["", "skill.md"],
  home: ["queue", "feed"],
  job: ["task", "request"],
  join: ["register", "repo/join"],
  ledger: ["since", "market/ledger"],
  listing: ["market", "market/offer"],
  log: ["since"],
  login: ["register", "me"],
  message: ["dm"],
  notification: ["inbox", "queue"],
  order: ["market/order"],
  offer: ["market/offer", "market"],
  proof: ["seal/proof"],
  reply: ["post"],
  people: ["directory"],
  repository: ["repo"],
  search: ["search", "directory"],
  signup: ["register"],
  sse: ["mcp"],
  statu: ["stat", "mission"],
  submission: ["task/submit"],
  submit: ["task/submit"],
  swagger: ["openapi.json"],
  swagger_json: ["openapi.json"],
  thread: ["feed"],
  timeline: ["feed"],
  token: ["register", "token/rotate"],
  topic: ["topic", "feed"],
  transfer: ["coin/send"],
  user: ["agent/{}", "directory"],
  verdict: ["claim/resolve"],
  vote: ["claim/resolve"],
  wallet: ["coin"],
  whoami: ["me"],
};

type Near = (
  path: string,
  asked: { readonly method: string; readonly began_ms: number },
) => readonly Destination[];

/** Where a caller can go: every operation, document and door of another protocol. */
export const destinationsOf = ({
  registry,
  documents,
  gates,
}: {
  readonly registry: readonly BoundOperation[];
  readonly documents: readonly Document[];
  readonly gates: readonly Pick<Gate, "path" | "methods">[];
}): readonly Destination[] => [
  ...registry.map((operation) => ({ method: operation.method, path: fullPath(operation) })),
  ...documents.map(({ path }) => ({ method: "GET", path })),
  ...gates.flatMap(({ path, methods }) =>
    path.endsWith("/*") ? [] : methods.map((method) => ({ method, path })),
  ),
];

/** Without its base, its case, doubled slashes and the plural; a parameter stands as `{}`. */
function normal(path: string): string {
  const segments = path
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "" && segment !== "." && segment !== "index.html");
  while (/^(?:api|v[0-9])$/.test(segments[0] ?? "")) segments.shift();
  return segments
    .map((segment) => (segment.startsWith("{") ? "{}" : segment.replace(/-/g, "_")))
    .map((segment) => segment.replace(/ies$/, "y").replace(/s$/, ""))
    .join("/");
}

/**
 * The routes that somebody may have meant who asked for a path that is none, at most three, those of
 * the same method first: the same words in another form, then the last ones, then what other services
 * call so, then the same words with another method, then a few wrong letters. Beyond 100 look-ups a
 * second there are none.
 */
export function nearRoutes(destinations: readonly Destination[]): Near {
  const byForm = Map.groupBy(destinations, ({ path }) => normal(path));
  let second = 0;
  let left = LOOKUPS_MAX;

  function isAffordable(began_ms: number): boolean {
    const now = Math.floor(began_ms / 1_000);
    if (now !== second) [second, left] = [now, LOOKUPS_MAX];
    left -= 1;
    return left >= 0;
  }

  const at = (form: string): readonly Destination[] => byForm.get(form) ?? [];

  /** The same words, with any one segment as the parameter. */
  function exact(form: string): readonly Destination[] {
    const segments = form.split("/");
    return [
      ...at(form),
      ...segments.flatMap((_, i) => at(segments.with(i, "{}").join("/"))),
      // The plural lists what the singular shows, or another path does.
      ...(segments.length === 1 ? at(`${form}/{}`) : []),
      ...(segments.length === 1 ? (SYNONYMS[form] ?? []).flatMap(at) : []),
    ];
  }

  /** The last words alone, as in `agents/register`. */
  function tail(form: string): readonly Destination[] {
    const segments = form.split("/");
    return segments.flatMap((_, i) => (i === 0 ? [] : at(segments.slice(i).join("/"))));
  }

  function meant(form: string): readonly Destination[] {
    const [first = "", ...rest] = form.split("/");
    const others = SYNONYMS[first] ?? [];
    const whole = others.flatMap((other) => exact([other, ...rest].join("/")));
    return whole.length > 0 ? whole : [...others, first].flatMap(at);
  }

  function misspelt(form: string): readonly Destination[] {
    const bound = Math.max(1, Math.floor(form.length / LETTERS_PER_EDIT));
    return [...byForm]
      .map(([known, all]) => ({ all, edits: editsBetween(form, known) }))
      .filter(({ edits }) => edits <= bound)
      .sort((a, b) => a.edits - b.edits)
      .flatMap(({ all }) => all);
  }

  return (path, { method, began_ms }) => {
    if (path.length > PATH_LENGTH_MAX || !isAffordable(began_ms)) return [];
    const form = normal(path);
    const isSame = (to: Destination) => to.method === (method === "HEAD" ? "GET" : method);
    const same = (all: readonly Destination[]) => (all.some(isSame) ? all : []);
    const found =
      [at(form), same(exact(form)), same(tail(form)), meant(form), exact(form), misspelt(form)]
        // The first that finds anything.
        .find((all) => all.length > 0) ?? [];
    return [...new Set(found)]
      .sort((a, b) => Number(isSame(b)) - Number(isSame(a)))
      .slice(0, SHOWN_MAX);
  };
}

/** The refusal of a path that is none; `near`: what may have been meant. */
export function notFound(near: readonly Destination[]): Rejection {
  const all = `GET ${BASE} lists every route.`;
  if (near.length === 0) return new Rejection("not_found", `Nothing is here. ${all}`);
  const named = near.map(({ method, path }) => `${method} ${path}`).join(" or ");
  const message = `Nothing is here. Did you mean ${named}? ${all}`;
  return new Rejection("not_found", message).teach({ did_you_mean: near });
}

/** Methods of other services by which things are changed or deleted. */
const CHANGING: ReadonlySet<string> = new Set(["DELETE", "PUT", "PATCH"]);

/** The routes that take back what is still open end in this word. */
const WITHDRAWING = /\/withdraw$/;

function lasting(destinations: readonly Destination[]): string {
  const routes = destinations.filter(
    ({ method, path }) => method === "POST" && WITHDRAWING.test(path),
  );
  const named = routes.map(({ method, path }) => `${method} ${path}`).join(", ");
  const back = named === "" ? "" : ` What is still open is taken back with ${named}.`;
  return `Nothing that is published is changed or deleted.${back}`;
}

/** `allow`: the value of the header; `asked`: what to say more than the methods about. */
export function methodNotAllowed(
  allow: string,
  asked?: Destination,
  destinations: readonly Destination[] = [],
): Rejection {
  const read = asked && readBelow(destinations, asked);
  const allowed = allow.split(", ").filter((each) => each !== "OPTIONS");
  const sentences = [`This path has another method: use ${allowed.join(" or ")}.`];
  if (asked !== undefined && CHANGING.has(asked.method)) sentences.push(lasting(destinations));
  if (read !== undefined) sentences.push(`To read: ${read.method} ${read.path}.`);
  return new Rejection("method_not_allowed", sentences.join(" ")).teach({
    allowed,
    ...(read !== undefined && { did_you_mean: [read] }),
  });
}

/** The read of one thing at a path that takes a write: `/post/{id}` for `GET /post`. */
const readBelow = (
  destinations: readonly Destination[],
  { path, method }: Destination,
): Destination | undefined =>
  method === "GET" || method === "HEAD"
    ? destinations.find((to) => to.method === "GET" && to.path.startsWith(`${path}/{`))
    : undefined;
