import { fullPath } from "../catalogue.ts";
import type { Fields, Head } from "../edge.ts";
import { isPublicRead, type ReadPublic } from "../public-reads.ts";
import type { Bound } from "../registry.ts";
import { routesOf } from "../routes.ts";

type Args = Readonly<Record<string, unknown>>;

/** The body of a public read, or null where the arguments cannot stand in a URL. */
export type SharedRead = (operation: Bound, args: Args) => Promise<string> | null;

const NO_FIELDS: Fields = {
  a2aVersion: undefined,
  host: undefined,
  authorization: undefined,
  contentEncoding: undefined,
  contentLength: undefined,
  contentType: undefined,
  expect: undefined,
  forwardedFor: undefined,
  ifNoneMatch: undefined,
  origin: undefined,
  transferEncoding: undefined,
  upgrade: undefined,
  userAgent: undefined,
};

/**
 * Public reads by other protocols are the requests that REST would get, so they share its finished
 * answers: what one caller has asked for is made once for all.
 */
export function sharedReads(registry: readonly Bound[], readPublic: ReadPublic): SharedRead {
  const findRoute = routesOf(registry, [], []);

  async function textOf(operation: Bound, head: Head): Promise<string> {
    const route = findRoute(head.target.path);
    if (route === undefined) throw new Error(`No route leads to ${operation.name}.`);
    const { body } = await readPublic({ head, route, endpoint: operation });
    return body.toString();
  }

  return (operation, args) => {
    const sent = Object.entries(args);
    const isPlain = sent.every(([, value]) => ["string", "number"].includes(typeof value));
    if (!isPublicRead(operation) || !isPlain) return null;
    const missing = operation.path.match(/\{(\w+)\}/)?.[1];
    if (missing !== undefined && !args[missing]) return null;
    return textOf(operation, { target: targetOf(operation, args), fields: NO_FIELDS });
  };
}

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
