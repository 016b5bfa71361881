import type { IncomingMessage, ServerResponse } from "node:http";
import type { Agent } from "../context.ts";
import { Rejection } from "../kernel/errors.ts";
import {
  type Answers,
  type Exchange,
  type HeaderList,
  JSON_TYPE,
  NO_STORE,
  type Work,
} from "./answer.ts";
import { type Callers, callerOf } from "./bearer.ts";
import { BODY_MAX_BYTES, bodyOf } from "./body.ts";
import type { Crowd } from "./crowd.ts";
import { edge, type Head, REFUSED_USER_AGENT } from "./edge.ts";
import { whenGone } from "./gone.ts";
import { inputOf } from "./input.ts";
import { invoke, type Road } from "./invoke.ts";
import { type Finished, isUnchanged } from "./public-cache.ts";
import { isForAll, type ReadPublic } from "./public-reads.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Bound } from "./registry.ts";
import { type Document, type Gate, type Route, routesOf } from "./routes.ts";

export interface HttpParts {
  readonly road: Road;
  readonly answers: Answers;
  readonly crowd: Crowd;
  readonly readPublic: ReadPublic;
  readonly registry: readonly Bound[];
  readonly documents: readonly Document[];
  readonly gates: readonly Gate[];
  readonly callers: Callers;
  readonly edgeRule: "on" | "off";
  readonly rateLimit: RateLimit | null;
}

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** A request that has found what answers it. */
interface Call {
  readonly exchange: Exchange;
  readonly head: Head;
  readonly route: Route;
}

/** The public listener: what happens to a request, in order; the first step that fails answers. */
export function createListener(parts: HttpParts): Listener {
  const { answers, crowd, readPublic } = parts;
  const findRoute = routesOf(parts.registry, parts.documents, parts.gates);
  const preflight = answers.headers(PREFLIGHT, NO_STORE);
  const performing = { ...parts, head: answers.headers(JSON_TYPE, NO_STORE) };

  function dispatch(exchange: Exchange, head: Head): void {
    const { upgrade, userAgent } = head.fields;
    // The offer is ignored, but Node's parser drops what stands behind it in the same packet.
    if (upgrade !== undefined) exchange.res.shouldKeepAlive = false;
    if (parts.edgeRule === "on" && userAgent !== undefined && REFUSED_USER_AGENT.test(userAgent))
      throw EDGE;
    const route = findRoute(head.target.path);
    if (route === undefined) throw NOT_FOUND;
    exchange.route = route.template;
    if (exchange.method === "OPTIONS") {
      answers.send(exchange, 204, [...preflight, "Allow", route.allow]);
      return;
    }
    const endpoint = endpointOf(route, exchange.method);
    const gate = route.gate?.methods.includes(exchange.method) ? route.gate : undefined;
    if (endpoint === undefined && gate === undefined) {
      answers.refuse(exchange, METHOD_NOT_ALLOWED, ["Allow", route.allow]);
      return;
    }
    if (answers.draining() || crowd.isFull()) throw OVERLOADED;

    const call = { exchange, head, route };
    if (endpoint === undefined) {
      if (gate !== undefined) void attend(exchange, enter(parts, gate, call));
    } else if ("run" in endpoint && !isForAll(endpoint, head.fields))
      void attend(exchange, perform(performing, endpoint, call));
    else if (isWithinLimit(parts, call, null)) {
      const finished = readPublic({ head, route, endpoint });
      if (finished instanceof Promise)
        void attend(
          exchange,
          finished.then((one) => deliver(call, one)),
        );
      else deliver(call, finished);
    }
  }

  function deliver({ exchange, head }: Call, finished: Finished): void {
    const { status, etag } = finished;
    if (status === 200 && isUnchanged(head.fields.ifNoneMatch, etag))
      answers.send(exchange, 304, finished.headUnchanged);
    else answers.send(exchange, status, finished.head, finished.body);
  }

  /** Counts the work and sees to its end; nothing that it throws goes further. */
  const attend = (exchange: Exchange, work: Promise<void>): Promise<void> =>
    crowd.inside(work.catch((error: unknown) => answers.refuse(exchange, error)));

  function handle(exchange: Exchange): void {
    try {
      dispatch(exchange, edge(exchange.req));
    } catch (error) {
      answers.refuse(exchange, error);
    }
  }

  return atEndOfTurn(answers, handle);
}

/**
 * Takes all requests together that the event loop has read in one turn. Parsing, answering and
 * writing each on its own costs a third more; and by then the body of most requests is complete.
 */
function atEndOfTurn({ begin }: Answers, handle: (exchange: Exchange) => void): Listener {
  let arrived: Exchange[] = [];
  const handleAll = () => {
    const exchanges = arrived;
    arrived = [];
    for (const exchange of exchanges) handle(exchange);
  };
  return (req, res) => {
    if (arrived.length === 0) setImmediate(handleAll);
    arrived.push(begin(req, res));
  };
}

interface Performing
  extends Pick<HttpParts, "answers" | "callers" | "crowd" | "rateLimit" | "road"> {
  readonly head: HeaderList;
}

/** Whatever is answered to one caller only. */
async function perform(parts: Performing, operation: Bound, call: Call): Promise<void> {
  const { exchange, head, route } = call;
  const { crowd } = parts;
  const agent = await callerOf(operation.auth, head.fields.authorization, parts.callers);
  if (!isWithinLimit(parts, call, agent)) return;
  const max_bytes = operation.bodyMax_bytes ?? BODY_MAX_BYTES;
  const body =
    operation.method === "POST"
      ? await bodyOf(exchange.req, head.fields, { max_bytes, crowd })
      : {};
  if (body === null) return; // The sender went away.
  const input = inputOf(operation, route, { ...head.target, body });
  const works: Work[] = [];
  const isTokenRefused =
    operation.auth === "optional" && agent === null && head.fields.authorization !== undefined;
  const invocation = {
    agent,
    isTokenRefused,
    afterAnswer: (work: Work) => void works.push(work),
    whenGone: whenGone(exchange.req),
  };
  const output = await invoke(operation, parts.road, invocation, input);
  const text = JSON.stringify(output);
  for (const work of works) parts.answers.afterSending(exchange, work);
  parts.answers.send(exchange, operation.status ?? 200, parts.head, text);
}

/** Whatever another protocol asks for, once the caller is known. */
async function enter(parts: HttpParts, gate: Gate, call: Call): Promise<void> {
  const { exchange, head } = call;
  gate.guard(head.fields);
  const agent = await callerOf("required", head.fields.authorization, parts.callers);
  if (agent !== null && isWithinLimit(parts, call, agent))
    await gate.enter({ exchange, head, agent });
}

/** Answers 429 itself when the switched-on limit is used up. The address is read in no other case. */
function isWithinLimit(
  { rateLimit, answers }: Pick<HttpParts, "answers" | "rateLimit">,
  { exchange, head }: Call,
  agent: Agent | null,
): boolean {
  if (rateLimit === null) return true;
  const address = exchange.req.socket.remoteAddress ?? "";
  const wait_s = rateLimit({ agent, address, forwardedFor: head.fields.forwardedFor });
  if (wait_s > 0) answers.refuse(exchange, RATE_LIMITED, ["Retry-After", String(wait_s)]);
  return wait_s === 0;
}

function endpointOf(route: Route, method: string): Bound | Document | undefined {
  if (method === "GET" || method === "HEAD") return route.get;
  return method === "POST" ? route.post : undefined;
}

const PREFLIGHT: HeaderList = [
  "Access-Control-Allow-Methods",
  "GET, HEAD, POST, OPTIONS",
  "Access-Control-Allow-Headers",
  "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, a2a-version",
  "Access-Control-Max-Age",
  "86400",
];

const EDGE = new Rejection(
  "1010",
  "error code: 1010. The edge refuses this default User-Agent; set any other.",
);
const NOT_FOUND = new Rejection("not_found", "Nothing is here. GET /api/v1 lists every route.");
const METHOD_NOT_ALLOWED = new Rejection("method_not_allowed", "Use a method that Allow names.");
const OVERLOADED = new Rejection("overloaded", "The service is busy or stopping; try again soon.");
const RATE_LIMITED = new Rejection("rate_limited", "Wait as long as Retry-After says.");
