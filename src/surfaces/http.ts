import type { Agent } from "../platform/context.ts";
import { type Problem, Rejection, reject } from "../platform/kernel/contract/errors.ts";
import { isEmpty } from "../platform/kernel/words/reserved-names.ts";
import { type Dispatcher, invoke } from "./dispatch/invoke.ts";
import type { BoundOperation } from "./dispatch/registry.ts";
import type { Incoming, Outgoing } from "./incoming/incoming.ts";
import type { StreamSlots } from "./live/slots.ts";
import { asksForStream, streaming } from "./live/stream.ts";
import { HEADER, takesKey, withKey } from "./routing/idempotency-key.ts";
import { inputOf } from "./routing/input.ts";
import { methodNotAllowed, nearRoutes, notFound } from "./routing/near-routes.ts";
import { isAnonymous, type ReadPublic } from "./routing/public-reads.ts";
import { type CachedAnswer, isUnchanged } from "./routing/response-cache.ts";
import { type Document, type Gate, type OpenGate, type Route, routesOf } from "./routing/routes.ts";
import { admissionOf, OPEN_DOOR, type Request } from "./wire/admission.ts";
import {
  type Answers,
  type Exchange,
  type HeaderList,
  JSON_TYPE,
  NO_STORE,
  type Work,
} from "./wire/answer.ts";
import { type Callers, callerOf } from "./wire/bearer.ts";
import { BODY_MAX_BYTES, bodyOf } from "./wire/body.ts";
import { demandsStrict, edge, type Fields, REFUSED_USER_AGENT } from "./wire/edge.ts";
import type { InFlightLimit, RequestSlot } from "./wire/in-flight-limit.ts";
import type { Origins } from "./wire/origins.ts";
import type { RateLimit } from "./wire/rate-limit.ts";
import type { Senders } from "./wire/sender.ts";
import { waiterOf } from "./wire/waiter.ts";

export interface HttpParts {
  readonly dispatcher: Dispatcher;
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly slots: StreamSlots;
  readonly readPublic: ReadPublic;
  readonly registry: readonly BoundOperation[];
  readonly documents: readonly Document[];
  readonly gates: readonly (Gate | OpenGate)[];
  readonly callers: Callers;
  readonly edgeRule: "on" | "off";
  readonly rateLimit: RateLimit | null;
  readonly senders: Senders;
  readonly origins: Origins;
  /** Where the service is reached from outside, for sentences that name an address in full. */
  readonly baseUrl: string;
}

export type Listener = (req: Incoming, res: Outgoing) => void;

/** A request that has found what answers it. */
interface Call extends Request {
  readonly route: Route;
}

/** One that is worked on. */
interface Admitted extends Call {
  readonly slot: RequestSlot;
}

/** The public listener: what happens to a request, in order; the first step that fails answers. */
export function createListener(parts: HttpParts): Listener {
  const { answers, inFlight, readPublic, rateLimit } = parts;
  const admission = rateLimit === null ? OPEN_DOOR : admissionOf(rateLimit, refuseWhenBusy);
  const findRoute = routesOf(parts.registry, parts.documents, parts.gates);
  const near = nearRoutes(parts);
  const preflight = answers.headers(PREFLIGHT, NO_STORE);
  const stream = streaming(parts);
  const performing = { ...parts, head: answers.headers(JSON_TYPE, NO_STORE) };

  function dispatch(request: Request): void {
    const { exchange, head } = request;
    const { upgrade, userAgent } = head.fields;
    // The offer is ignored, but Node's parser drops what stands behind it in the same packet.
    if (upgrade !== undefined) exchange.res.shouldKeepAlive = false;
    if (parts.edgeRule === "on" && userAgent !== undefined && REFUSED_USER_AGENT.test(userAgent))
      throw EDGE;
    const route = findRoute(head.target.path);
    if (route === undefined) throw notFound(near(head.target.path, exchange), parts.baseUrl);
    exchange.route = route.template;
    if (exchange.method === "OPTIONS") {
      answers.send(exchange, 204, [...preflight, "Allow", route.allow]);
      return;
    }
    const endpoint = endpointOf(route, exchange.method);
    const gate = route.gate?.methods.includes(exchange.method) ? route.gate : undefined;
    if (endpoint === undefined && gate === undefined) {
      const { allow } = route;
      const meant = near(head.target.path, exchange);
      answers.refuse(exchange, methodNotAllowed(allow, exchange.method, meant), ["Allow", allow]);
      return;
    }
    if (exchange.method === "POST") parts.origins.demandWriter(head.fields);
    refuseWhenBusy();

    const call = { ...request, route };
    if (endpoint === undefined) {
      if (gate !== undefined) void attend(call, (slot) => enter(gate, { ...call, slot }));
    } else if ("run" in endpoint && asksForStream(endpoint, exchange.method, head.fields))
      void attend(call, (slot) => begun(endpoint, { ...call, slot }));
    else if ("run" in endpoint && (!isAnonymous(endpoint, head.fields) || hasBody(head.fields)))
      void attend(call, (slot) => perform(performing, endpoint, { ...call, slot }));
    else {
      const finished = readPublic({ head, route, endpoint });
      if (finished instanceof Promise) void attend(call, async () => deliver(call, await finished));
      else deliver(call, finished);
    }
  }

  function begun(operation: BoundOperation, call: Admitted): Promise<void> {
    const { exchange, head, route, sender, callers } = call;
    const input = { ...inputOf(operation, route, { ...head.target, body: {} }) };
    const waiterFor = (agent: Agent | null) => waiterOf({ ...call, agent }, parts.senders);
    return stream(operation, { exchange, fields: head.fields, callers, sender, input, waiterFor });
  }

  function refuseWhenBusy(): void {
    if (answers.draining() || inFlight.isFull()) throw OVERLOADED;
  }

  function deliver({ exchange, head }: Call, finished: CachedAnswer): void {
    const { status, etag } = finished;
    if (status === 200 && isUnchanged(head.fields.ifNoneMatch, etag))
      answers.send(exchange, 304, finished.headUnchanged);
    else answers.send(exchange, status, finished.head, finished.body);
  }

  /** Gives the work a place and sees to its end; nothing that it throws goes further. */
  async function attend(
    request: Request,
    work: (slot: RequestSlot) => Promise<void>,
  ): Promise<void> {
    const slot = inFlight.enter();
    try {
      await work(slot);
    } catch (error) {
      refuse(request, error);
    } finally {
      slot.leave();
    }
  }

  function refuse(request: Request, error: unknown): void {
    const { exchange, head } = request;
    const gate = findRoute(head.target.path)?.gate;
    if (gate !== undefined && "answer" in gate) exchange.refusal = gate.refusal;
    answers.refuse(exchange, admission.priced(request, error));
  }

  function begin(request: Request): void {
    try {
      const waiting = admission.admit(request, dispatch);
      if (waiting !== undefined) void attend(request, () => waiting);
    } catch (error) {
      refuse(request, error);
    }
  }

  return atEndOfTurn(answers, (exchange) => {
    const request = requestOf(parts, exchange);
    if (request !== null) begin(request);
  });
}

/** Reads the head. Null when that was refused, which its sender is charged for as for any request. */
function requestOf(
  { answers, senders, rateLimit, callers }: HttpParts,
  exchange: Exchange,
): Request | null {
  const { req } = exchange;
  try {
    const head = edge(req);
    return {
      exchange,
      head,
      callers,
      sender: senders.senderOf(req.socket, head.fields.forwardedFor),
    };
  } catch (error) {
    rateLimit?.admit(null, senders.senderOf(req.socket, undefined));
    answers.refuse(exchange, error);
    return null;
  }
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

interface Performing extends Pick<HttpParts, "answers" | "inFlight" | "dispatcher" | "senders"> {
  readonly head: HeaderList;
}

/** Whatever is answered to one caller only. */
async function perform(
  parts: Performing,
  operation: BoundOperation,
  call: Admitted,
): Promise<void> {
  const { exchange, head, route, sender, callers } = call;
  const { inFlight } = parts;
  const caller = () => callerOf(operation.auth, head.fields.authorization, callers);
  const known = await caller();
  const { req } = exchange;
  const max_bytes = operation.bodyMax_bytes ?? BODY_MAX_BYTES;
  const isLate = !req.complete;
  const uploader = { agent: known, sender, connection: req.socket };
  const body =
    operation.method === "POST"
      ? await bodyOf(req, head.fields, { max_bytes, inFlight, uploader })
      : {};
  if (body === null) return; // The sender went away.
  const agent = isLate ? await caller() : known;
  if (operation.method === "POST") refuseTrialOf(head.fields);
  const given = inputOf(operation, route, { ...head.target, body });
  const key = takesKey(operation) ? head.fields.idempotencyKey : undefined;
  const input = key === undefined ? given : withKey(operation, given, key);
  const works: Work[] = [];
  const isTokenRefused =
    operation.auth === "optional" && agent === null && head.fields.authorization !== undefined;
  const invocation = {
    agent,
    isTokenRefused,
    ...strictnessOf(head.fields, key),
    notices: [...noticesOn(operation, head.fields), ...(await secondAgent(operation, call))],
    afterAnswer: (work: Work) => void works.push(work),
    sender,
    ...(operation.method === "GET" && {
      waiter: waiterOf({ ...call, agent }, parts.senders),
      stillCaller: caller,
    }),
  };
  const output = await invoke(operation, parts.dispatcher, invocation, input);
  const text = JSON.stringify(output);
  for (const work of works) parts.answers.afterSending(exchange, work);
  const status = isNothingMade(output) ? 200 : (operation.status ?? 200);
  parts.answers.send(exchange, status, parts.head, text);
}

const hasBody = ({ contentLength, transferEncoding }: Fields): boolean =>
  transferEncoding !== undefined || (contentLength !== undefined && Number(contentLength) > 0);

/** A trial is a field of the body: as a header field it would be dropped, and the write made. */
function refuseTrialOf({ dryRun }: Fields): void {
  if (isEmpty(dryRun)) return;
  const problem = "is no header field here; a trial is `dry_run`: true in the body";
  reject("validation_failed", `\`Dry-Run\` ${problem}. Nothing was done.`, [
    { field: "Dry-Run", problem },
  ]);
}

/** On parts of a request that are not looked at: the body of a read, and the header of other services. */
function noticesOn(operation: BoundOperation, fields: Fields): readonly Problem[] {
  if (operation.method === "GET")
    return hasBody(fields)
      ? [{ field: "body", problem: "is ignored with GET; send the fields in the query" }]
      : [];
  return fields.idempotencyKey === undefined || takesKey(operation)
    ? []
    : [{ field: HEADER, problem: "is ignored: this is made anew each time" }];
}

/** A registration takes no token, so one that is sent makes another agent. */
async function secondAgent(
  { auth, method }: BoundOperation,
  { head: { fields }, callers }: Admitted,
): Promise<readonly Problem[]> {
  if (auth !== "none" || method !== "POST" || fields.authorization === undefined) return [];
  const known = await callerOf("optional", fields.authorization, callers);
  if (known === null) return [];
  const problem = `is the token of ${known.agent_id}, which stays; this made another agent`;
  return [{ field: "Authorization", problem }];
}

/** What this caller wants refused: unknown fields, and other content under a mark, as the header's is by itself. */
function strictnessOf(fields: Fields, key: string | undefined) {
  const isStrict = demandsStrict(fields);
  return { isStrict, isMarkStrict: isStrict || key !== undefined };
}

/** A write that was only tried, or that an earlier one had made, has created nothing. */
const isNothingMade = (output: object): boolean =>
  Object(output).dry_run === true || Object(output).repeated === true;

/** Whatever another protocol asks for, once the caller is known. */
async function enter(gate: Gate | OpenGate, call: Admitted): Promise<void> {
  const { exchange, head, slot, sender, callers } = call;
  if ("answer" in gate) {
    exchange.challenge = gate.challenge;
    return gate.answer({ exchange, head, slot, sender });
  }
  gate.guard(head.fields);
  const stillCaller = () => callerOf("required", head.fields.authorization, callers);
  const agent = await stillCaller();
  await gate.enter({ exchange, head, slot, agent, sender, stillCaller });
}

function endpointOf(route: Route, method: string): BoundOperation | Document | undefined {
  if (method === "GET" || method === "HEAD") return route.get;
  return method === "POST" ? route.post : undefined;
}

const PREFLIGHT: HeaderList = [
  "Access-Control-Allow-Methods",
  "GET, HEAD, POST, OPTIONS",
  "Access-Control-Allow-Headers",
  "authorization, content-type, accept, prefer, idempotency-key, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, a2a-version, last-event-id",
  "Access-Control-Max-Age",
  "86400",
];

const EDGE = new Rejection(
  "1010",
  "error code: 1010. The edge refuses this default User-Agent; set any other.",
);
const OVERLOADED = new Rejection("overloaded", "The service is busy or stopping; try again soon.");
