import type { Agent } from "../../platform/context.ts";
import type { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import type { Exchange } from "../wire/answer.ts";
import type { Fields, Head } from "../wire/edge.ts";
import type { RequestSlot } from "../wire/in-flight-limit.ts";
import { fullPath } from "./base-path.ts";
import type { CachedAnswer } from "./response-cache.ts";

/** It changes only with a deploy, so each form of it is made once. */
export interface FixedDocument {
  /** Whole, and without parameters in the path. */
  readonly path: `/${string}`;
  readonly contentType: string;
  /** Seconds for which anybody may keep it. */
  readonly maxAge_s: number;
  /** The query parameters that ask for one part of it, each with the names of its parts. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
  /** Its text, or that of a part; one that takes long to make is made in turns of the event loop. */
  readonly answer: (part: Part | null) => string | Promise<string>;
  /** The same for a person: a client that prefers HTML to its own type gets it. */
  readonly page?: FixedPage;
}

/** A page in HTML, and the headers that it alone has. */
export interface FixedPage {
  readonly answer: () => string;
  readonly headers: readonly string[];
}

/** A part of a document, as a query asks for it. */
export interface Part {
  readonly parameter: string;
  readonly name: string;
}

/** It is made from the data, and kept as long as nothing changes. */
export interface StoredDocument {
  /** Whole; a parameter stands in braces. With `/*` at the end it stands for everything below. */
  readonly path: `/${string}`;
  /** What a request asks for. Its answer is kept by this name. */
  readonly nameIn: (head: Head) => string;
  readonly find: (name: string) => Promise<CachedAnswer>;
}

/** The handler of a path outside the contracts. */
export type Document = FixedDocument | StoredDocument;

/** A request that has found a gate, by an agent whose token was checked, or by nobody. */
export interface Visitor<A extends Agent | null> {
  readonly exchange: Exchange;
  readonly head: Head;
  readonly slot: RequestSlot;
  readonly agent: A;
  readonly sender: Sender | null;
  /** The agent, looked up again. Rejects with a 401 code once its token has ended. */
  readonly stillCaller: () => Promise<A>;
}

export type Visit = Visitor<Agent>;

/** Where another protocol begins: it reads its own requests and words its own answers. */
export interface Gate {
  /** Whole; with `/*` at the end it stands for everything below. */
  readonly path: `/${string}`;
  readonly methods: readonly string[];
  /** Refuses, by throwing, what must not even show a token. */
  readonly guard: (fields: Fields) => void;
  readonly enter: (visit: Visit) => Promise<void>;
}

/** The same for everybody: nobody is asked for a token. */
export interface OpenGate extends Pick<Gate, "path" | "methods"> {
  readonly answer: (request: Omit<Visit, "agent" | "stillCaller">) => Promise<void>;
  /** What its 401 says beside the realm. */
  readonly challenge?: string;
  /** How it says a refusal that is not its own, where its protocol has a form for that. */
  readonly refusal?: (rejection: Rejection) => object;
}

/** The handlers of one path. */
export interface Route {
  /** `/api/v1/agent/{agent_id}`: the only form of a path that logs and figures see. */
  readonly template: string;
  /** The name of the path's parameter and the text around it, where there is one. */
  readonly parameter: {
    readonly name: string;
    readonly before: string;
    readonly after: string;
  } | null;
  /** The value of the `Allow` header. */
  readonly allow: string;
  readonly get: BoundOperation | Document | undefined;
  readonly post: BoundOperation | undefined;
  readonly gate?: Gate | OpenGate;
}

/** The route of a path, which must match exactly: no folding of case, slashes or dots. */
export type FindRoute = (path: string) => Route | undefined;

/** Folds operations and documents into routes. Throws when two would answer the same request. */
export function routesOf(
  registry: readonly BoundOperation[],
  documents: readonly Document[],
  gates: readonly (Gate | OpenGate)[],
): FindRoute {
  const operations = Map.groupBy(registry, fullPath);
  const literal = new Map<string, Route>();
  const patterns: Route[] = [];
  const below = new Map<string, Route>();
  const add = (route: Route) => {
    if (route.parameter === null) literal.set(route.template, route);
    else patterns.push(route);
  };
  for (const [template, bound] of operations) add(routeOf(template, bound));
  for (const document of documents) {
    const { path } = document;
    if (operations.has(path) || literal.has(path)) throw new Error(`Two things answer at ${path}`);
    const route = { ...routeOf(path, []), allow: "GET, HEAD, OPTIONS", get: document };
    if (path.endsWith("/*")) below.set(path.slice(0, -1), route);
    else add(route);
  }
  for (const gate of gates) {
    const beside = below.get(gate.path.slice(0, -1));
    const route = {
      ...(beside ?? routeOf(gate.path, [])),
      allow: [...(beside ? ["GET", "HEAD"] : []), ...gate.methods, "OPTIONS"].join(", "),
      gate,
    };
    if (gate.path.endsWith("/*")) below.set(gate.path.slice(0, -1), route);
    else literal.set(gate.path, route);
  }
  return (path) =>
    literal.get(path) ??
    patterns.find((route) => parameterOf(route, path) !== null) ??
    [...below].find(([prefix]) => path.startsWith(prefix))?.[1];
}

function routeOf(template: string, operations: readonly BoundOperation[]): Route {
  const get = operations.find(({ method }) => method === "GET");
  const post = operations.find(({ method }) => method === "POST");
  const [before = "", name, after = "", ...more] = template.split(/[{}]/);
  if (more.length > 0) throw new Error(`${template} has more than one parameter`);
  return {
    template,
    parameter: name === undefined ? null : { name, before, after },
    allow: [...(get ? ["GET", "HEAD"] : []), ...(post ? ["POST"] : []), "OPTIONS"].join(", "),
    get,
    post,
  };
}

/** The parameter's text as sent: one segment that is not empty; null when the path is another. */
export function parameterOf({ parameter }: Route, path: string): string | null {
  if (parameter === null) return null;
  const { before, after } = parameter;
  if (!path.startsWith(before) || !path.endsWith(after)) return null;
  const value = path.slice(before.length, path.length - after.length);
  return value === "" || value.includes("/") ? null : value;
}
