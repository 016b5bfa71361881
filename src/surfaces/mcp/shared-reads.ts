import type { BoundOperation } from "../dispatch/registry.ts";
import { fullPath } from "../routing/base-path.ts";
import { isPublicRead, type ReadPublic } from "../routing/public-reads.ts";
import type { CachedAnswer } from "../routing/response-cache.ts";
import { routesOf } from "../routing/routes.ts";
import { fieldsOf, type Head, TARGET_LENGTH_MAX } from "../wire/edge.ts";

type Args = Readonly<Record<string, unknown>>;

/** What an operation answered: the bytes that REST would send, as text, and what they mean. */
export interface Success {
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer to a public read, or null where REST could not be asked for it in a URL. */
export type SharedRead = (operation: BoundOperation, args: Args) => Promise<Success> | null;

/** Of a request that brings nothing but its target. */
const NO_FIELDS = fieldsOf([]);

/**
 * Public reads by other protocols are the requests that REST would get, so they share its finished
 * answers: what one caller has asked for is made once for all.
 */
export function sharedReads(
  registry: readonly BoundOperation[],
  readPublic: ReadPublic,
): SharedRead {
  const findRoute = routesOf(registry, [], []);
  /** An answer that is kept is read once, too. */
  const read = new WeakMap<CachedAnswer, Success>();

  async function successOf(operation: BoundOperation, head: Head): Promise<Success> {
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
    if (!isPublicRead(operation)) return null;
    // What the operation does not know is ignored, and must not make an address of its own.
    const known = Object.keys(operation.input.shape)
      .filter((name) => Object.hasOwn(args, name))
      .map((name) => [name, args[name]] as const);
    if (!known.every(([name, value]) => fitsUrl(operation, name, value))) return null;
    const missing = operation.path.match(/\{(\w+)\}/)?.[1];
    if (missing !== undefined && !args[missing]) return null;
    const target = targetOf(operation, known);
    if (target.url.length > TARGET_LENGTH_MAX) return null;
    return successOf(operation, { target, fields: NO_FIELDS });
  };
}

/**
 * In a URL everything is text, so a number stands there only where the field takes it as one too. A
 * lone surrogate has no UTF-8: the schema refuses it where it does not have to.
 */
function fitsUrl({ input }: BoundOperation, name: string, value: unknown): boolean {
  if (typeof value === "number") return input.shape[name]?.safeParse(value).success === true;
  return typeof value === "string" && value.length <= TARGET_LENGTH_MAX && value.isWellFormed();
}

function targetOf(
  operation: BoundOperation,
  args: readonly (readonly [string, unknown])[],
): Head["target"] {
  let path = fullPath(operation);
  const query = new URLSearchParams();
  for (const [name, value] of args) {
    const place = `{${name}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)));
    else query.set(name, String(value));
  }
  return { url: query.size === 0 ? path : `${path}?${query}`, path, query: String(query) };
}
