import { fullPath } from "../catalogue.ts";
import { fieldsOf, type Head } from "../edge.ts";
import type { Finished } from "../public-cache.ts";
import { isPublicRead, type ReadPublic } from "../public-reads.ts";
import type { Bound } from "../registry.ts";
import { routesOf } from "../routes.ts";

type Args = Readonly<Record<string, unknown>>;

/** What an operation answered: the bytes that REST would send, as text, and what they mean. */
export interface Success {
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer to a public read, or null where the arguments cannot stand in a URL. */
export type SharedRead = (operation: Bound, args: Args) => Promise<Success> | null;

/** Of a request that brings nothing but its target. */
const NO_FIELDS = fieldsOf([]);

/**
 * Public reads by other protocols are the requests that REST would get, so they share its finished
 * answers: what one caller has asked for is made once for all.
 */
export function sharedReads(registry: readonly Bound[], readPublic: ReadPublic): SharedRead {
  const findRoute = routesOf(registry, [], []);
  /** An answer that is kept is read once, too. */
  const read = new WeakMap<Finished, Success>();

  async function successOf(operation: Bound, head: Head): Promise<Success> {
    const route = findRoute(head.target.path);
    if (route === undefined) throw new Error(`No route leads to ${operation.name}.`);
    const finished = await readPublic({ head, route, endpoint: operation });
    const known = read.get(finished);
    if (known !== undefined) return known;
    const text = finished.body.toString();
    const success = { text, body: Object(JSON.parse(text)) };
    read.set(finished, success);
    return success;
  }

  return (operation, args) => {
    const sent = Object.entries(args);
    if (!isPublicRead(operation) || !sent.every(([, value]) => fitsUrl(value))) return null;
    const missing = operation.path.match(/\{(\w+)\}/)?.[1];
    if (missing !== undefined && !args[missing]) return null;
    return successOf(operation, { target: targetOf(operation, args), fields: NO_FIELDS });
  };
}

/** A lone surrogate has no UTF-8: the schema refuses it where it does not have to. */
const fitsUrl = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && value.isWellFormed());

function targetOf(operation: Bound, args: Args): Head["target"] {
  let path = fullPath(operation);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    const place = `{${name}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)));
    else query.set(name, String(value));
  }
  return { url: query.size === 0 ? path : `${path}?${query}`, path, query: String(query) };
}
