import { Readable } from "node:stream";
import * as z from "zod";
import { isOfEndedToken } from "../../domains/identity/tokens.ts";
import type { Agent } from "../../platform/context.ts";
import {
  type Problem,
  Rejection,
  reject,
  type Wording,
} from "../../platform/kernel/contract/errors.ts";
import { HINTS_MAX } from "../../platform/kernel/contract/failure.ts";
import { clamped } from "../../platform/kernel/words/clamped.ts";
import { withMe } from "../../platform/kernel/words/meaning.ts";
import { idHints, spelled } from "../../platform/kernel/words/spelling.ts";
import { MCP, MCP_OPEN } from "../describe/fixed-routes.ts";
import { saidScope, signInAt } from "../describe/oauth.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { refuseUnknown } from "../dispatch/teaching.ts";
import { wordingOf } from "../dispatch/wording.ts";
import type { StreamSlots } from "../live/slots.ts";
import { isPublicRead } from "../routing/public-reads.ts";
import { received } from "../routing/received.ts";
import type { OpenGate, Visitor } from "../routing/routes.ts";
import {
  type Answers,
  type Exchange,
  errorBody,
  JSON_TYPE,
  NO_STORE,
  type Work,
} from "../wire/answer.ts";
import { type Callers, callerOf, mcpCallerOf, tokenIn } from "../wire/bearer.ts";
import { DEPTH_MAX, JSON_IN_UTF8, jsonOf, type Reading } from "../wire/body.ts";
import type { Head } from "../wire/edge.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";
import type { Origins } from "../wire/origins.ts";
import type { Senders } from "../wire/sender.ts";
import { waiterOf } from "../wire/waiter.ts";
import { namingParameters } from "./parameter-faults.ts";
import type { McpParts } from "./server.ts";
import type { Answering } from "./serving.ts";
import type { SharedRead, Success } from "./shared-reads.ts";
import { strayIn } from "./strays.ts";
import { meantName } from "./tools/finding.ts";
import { argumentsIn, MORE_CALL, MORE_QUERY } from "./tools/more-tools.ts";
import {
  ANOTHER_ARGUMENT,
  onlyReads,
  REGISTER_TOOL,
  TOKEN_ARGUMENT,
  toolName,
} from "./tools/tools.ts";

export interface McpGateParts extends McpParts {
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly dispatcher: Dispatcher;
  readonly slots: StreamSlots;
  readonly baseUrl: string;
  readonly readShared: SharedRead;
  readonly senders: Senders;
  readonly origins: Origins;
  readonly callers: Callers;
}

export const MCP_BODY_MAX_BYTES = 2 * 1024 * 1024;
/** Members of one object or list of a message, but of an argument's value: the SDK looks at each. */
export const MCP_MEMBERS_MAX = 256;
/** A tool's arguments stand two levels deeper than the body of the same request by REST. */
const ENVELOPE_DEPTH = 2;
const REGISTERING = "identity.register";
const PARSE_ERROR = -32_700;
const INVALID_PARAMS = -32_602;
/** The current revisions have no batches, and one could hold more work than a request may bring. */
const NO_BATCH =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Send one message at a time."}}';

const CROWDED = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: {
    code: INVALID_PARAMS,
    message: `Send at most ${MCP_MEMBERS_MAX} members in one object, and as many arguments.`,
  },
});

/** Whether an object or list of the message has too many members; the value of an argument may. */
function isCrowded(value: unknown, name = ""): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.keys(value).length > MCP_MEMBERS_MAX) return true;
  if (name === "arguments") return false;
  return Object.entries(value).some(([each, member]) => isCrowded(member, each));
}

/**
 * `POST /api/v1/mcp` for agents, and `/api/v1/mcp/open` for callers without a token. The SDK is loaded with
 * the first request, or by `prepare`: no service starts later for it.
 */
export function mcpGates(parts: McpGateParts): {
  readonly gates: readonly OpenGate[];
  readonly prepare: () => Promise<unknown>;
} {
  const { answers, baseUrl } = parts;
  const challenge = signInAt(baseUrl);
  const worded = { closed: wordingOf(parts.registry, toolName), open: openWording(parts.registry) };
  let endpoint: Promise<ReturnType<typeof import("./endpoint.ts").mcpEndpoint>> | null = null;
  const load = async () => (await import("./endpoint.ts")).mcpEndpoint({ ...parts, onError() {} });
  const loaded = () => {
    endpoint ??= load();
    return endpoint;
  };

  async function enter(
    request: Visitor<Agent | null>,
    header: HeaderCaller,
    isOpen: boolean,
  ): Promise<void> {
    const { exchange, head } = request;
    const json = answers.headers(JSON_TYPE, NO_STORE);
    const { inFlight } = parts;
    const { body, agent } = await received(request, (uploader) =>
      readBody(exchange, head, { inFlight, uploader }),
    );
    if (body === null) return; // The sender went away.
    if (body instanceof Rejection) {
      const isParsed = body.code === "validation_failed";
      const error = isParsed
        ? { code: INVALID_PARAMS, message: body.message }
        : { code: PARSE_ERROR, message: `Parse error. ${body.message}` };
      const text = JSON.stringify({ jsonrpc: "2.0", id: null, error });
      return answers.send(exchange, 400, json, text);
    }
    if (Array.isArray(body.value)) return answers.send(exchange, 400, json, NO_BATCH);
    if (isCrowded(body.value)) return answers.send(exchange, 400, json, CROWDED);
    const visit = { ...request, agent, stillCaller: header.demand };
    const known = header.ended() ?? agent;
    const answering = answeringOf(
      { ...parts, wording: isOpen ? worded.open : worded.closed, challenge },
      visit,
      {
        isNobody: known === null,
        byArgument:
          refusingStray(body.value) ?? (isOpen ? callerIn(body.value, known, parts.callers) : null),
      },
    );
    const response = await (await loaded())({
      url: baseUrl + head.target.url,
      headers: new Headers(headersOf(exchange)),
      body: body.value,
      query: new URLSearchParams(head.target.query),
      serving: answering,
      listener: agent === null ? null : listenerOf(visit, agent),
      isOpen,
    });
    answering.answered();
    await pass(answers, exchange, response);
  }

  const listenerOf = (visit: Visitor<Agent | null>, agent: Agent) => ({
    agent,
    sender: visit.sender,
    exchange: visit.exchange,
    waiter: waiterOf(visit, parts.senders),
    check: visit.stillCaller,
  });

  async function welcome(visit: Parameters<OpenGate["answer"]>[0], isOpen: boolean): Promise<void> {
    const { fields } = visit.head;
    parts.origins.demandOwn(fields);
    const auth = isOpen && fields.authorization === undefined ? "none" : "required";
    const header = headerCaller(() => mcpCallerOf(auth, fields.authorization, parts.callers));
    const agent = await header.find();
    return enter({ ...visit, agent, stillCaller: header.find }, header, isOpen);
  }

  const door = ({ path, method }: typeof MCP | typeof MCP_OPEN): OpenGate => ({
    path,
    methods: [method],
    challenge,
    answer: (visit) => welcome(visit, path === MCP_OPEN.path),
  });
  return { gates: [door(MCP), door(MCP_OPEN)], prepare: loaded };
}

/** The caller that the header names; at the open door it may name nobody. */
interface HeaderCaller {
  /** Null for nobody, and for an identity that has ended. Rejects with a 401 code for a token that nobody ever had. */
  readonly find: () => Promise<Agent | null>;
  /** Rejects with a 401 code where there is no agent any more, too. */
  readonly demand: () => Promise<Agent | null>;
  /** Why the token has ended, as far as that was found. */
  readonly ended: () => Rejection | null;
}

/**
 * An identity that has ended connects, and each call that needs it is told why: at a 401 a host would sign in,
 * and be another agent from then on without anybody having noticed.
 */
function headerCaller(demand: () => Promise<Agent | null>): HeaderCaller {
  let ended: Rejection | null = null;
  const find = () =>
    demand().catch((error: unknown) => {
      if (!isOfEndedToken(error)) throw error;
      ended = error;
      return null;
    });
  return { find, demand, ended: () => ended };
}

/** At the open door an agent is made by a tool. */
const openWording = (registry: readonly BoundOperation[]): Wording =>
  wordingOf(registry, (each) => (each.name === REGISTERING ? REGISTER_TOOL : toolName(each)));

/** Looks up whom a call is for. Rejects with a 401 code. */
type FindCaller = () => Promise<Agent>;

const calling = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).default({}),
  }),
});

/** Refuses a call with a trial or a mark where the protocol would drop it; null of any other. */
function refusingStray(message: unknown): FindCaller | null {
  if (calling.safeParse(message).data === undefined) return null;
  const refusal = strayIn(Object(Object(message)["params"]));
  return refusal && (() => Promise.reject(refusal));
}

/**
 * The caller that the argument `token` of a call names, which is taken out of it; null without one. `known` is
 * whom the header names, or why that identity has ended.
 */
function callerIn(
  message: unknown,
  known: Agent | Rejection | null,
  callers: Callers,
): FindCaller | null {
  const call = calling.safeParse(message).data;
  if (call === undefined) return null;
  const { name, arguments: given } = call.params;
  const args: object = Object(Object(Object(message)["params"])["arguments"]);
  const inner: object = [MORE_CALL, MORE_QUERY].some((tool) => isNamed(name, tool))
    ? insideOf(args)
    : args;
  const isRegistering = isNamed(inner === args ? name : given["name"], REGISTER_TOOL);
  const taken = (argument: string): readonly unknown[] =>
    [args, inner].flatMap((each) => {
      const value: unknown = Reflect.get(each, argument);
      Reflect.deleteProperty(each, argument);
      return value === undefined || value === null || value === "" ? [] : [value];
    });
  const [token, other = token] = taken(TOKEN_ARGUMENT);
  if (token !== other) return refusing(DIFFERENT_TOKENS);
  if (known instanceof Rejection)
    return isRegistering || token !== undefined ? () => Promise.reject(known) : null;
  if (isRegistering) {
    const another = taken(ANOTHER_ARGUMENT).includes(true);
    const isKnown = known !== null || token !== undefined;
    return isKnown && !another ? refusing(HAS_ONE) : null;
  }
  if (token === undefined) return null;
  if (known !== null) return refusing(TWO_TOKENS);
  return holderOf(token, callers);
}

/** The arguments of the call inside, as an object in place of its text: a token is taken out of that, too. */
function insideOf(args: object): object {
  const inside = argumentsIn(Reflect.get(args, "arguments"));
  if (typeof inside !== "object" || inside === null) return {};
  Reflect.set(args, "arguments", inside);
  return inside;
}

function holderOf(token: unknown, callers: Callers): FindCaller {
  const authorization = `Bearer ${token}`;
  if (typeof token === "string" && tokenIn(authorization) !== null)
    return () => callerOf("required", authorization, callers);
  const problem = "must be what register answered: sk_ and 48 hex characters";
  return async () =>
    reject("token_malformed", `\`token\` ${problem}.`, [{ field: TOKEN_ARGUMENT, problem }]);
}

/** Whether a tool is named, with or without what a host puts in front. */
const isNamed = (sent: unknown, tool: string): boolean =>
  typeof sent === "string" && meantName(sent, (name) => name === tool) === tool;

const refusing = (message: string) => async () =>
  reject("validation_failed", message, [{ field: TOKEN_ARGUMENT, problem: "must be left out" }]);
const BY_ARGUMENT =
  "Your token is in the header, which this would make useless. Send it as the argument `token`, at the open door.";
const DIFFERENT_TOKENS = "Two different tokens were sent. Nothing was done; send one.";
const TWO_TOKENS = "A token is in the header already. Leave the argument `token` out.";
const HAS_ONE = "You are an agent already. Send `another` as true to become a second one.";

const NOBODY =
  "This needs an agent. Call register, keep the token that it answers, and send it as `token` with this tool.";

/** Refusals that another sign-in mends: by nobody, and by one that may only read. */
const MENDED_BY_SIGN_IN: ReadonlySet<string> = new Set(["token_missing", "insufficient_scope"]);

/** For hosts that offer their user to sign in where a tool's error says how, in the form of the header. */
const signInBy = (challenge: string, { message }: Rejection) => ({
  "mcp/www_authenticate": [
    `Bearer realm="cairn", ${challenge}, error="insufficient_scope", scope="${saidScope("write")}", error_description="${message}"`,
  ],
});

/** Rejects with `insufficient_scope` what a sign-in for reads would write. */
function demandScope(operation: BoundOperation, caller: Agent | null): void {
  if (caller?.grant?.scope !== "read" || onlyReads(operation)) return;
  reject(
    "insufficient_scope",
    "Your host has signed in with the scope read, and this writes. Nothing was done; it needs a sign-in with the scope write, which makes another agent.",
  );
}

const OWN_FORM: ReadonlySet<string> = new Set(["malformed_json", "validation_failed"]);

/** A message that is no JSON, too deep or too crowded is refused in the protocol's own form. */
async function readBody({ req }: Exchange, { fields }: Head, by: Reading) {
  const depth_max = DEPTH_MAX + ENVELOPE_DEPTH;
  const parts = { max_bytes: MCP_BODY_MAX_BYTES, type: JSON_IN_UTF8, depth_max, ...by };
  try {
    return await jsonOf(req, fields, parts);
  } catch (error) {
    if (error instanceof Rejection && OWN_FORM.has(error.code)) return error;
    throw error;
  }
}

/** What the protocol reads; the token and everything else stays here. */
function headersOf({ req }: Exchange): [string, string][] {
  const names = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
  return names.flatMap((name): [string, string][] => {
    const value = req.headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
}

/** Runs operations for one caller, as REST would. */
function answeringOf(
  {
    answers,
    dispatcher,
    readShared,
    senders,
    wording,
    challenge,
  }: McpGateParts & { readonly wording: Wording; readonly challenge: string },
  visit: Visitor<Agent | null>,
  { byArgument, isNobody }: { readonly byArgument: FindCaller | null; readonly isNobody: boolean },
): Answering & { readonly answered: () => void } {
  const { exchange, sender } = visit;
  /** The agent of the header, or of the argument. */
  let reader = visit.agent?.agent_id ?? null;
  const stillCaller = async (): Promise<Agent> => {
    const caller = await (byArgument ?? visit.stillCaller)();
    return caller ?? reject("token_missing", NOBODY);
  };
  const waiter = waiterOf(visit, senders);
  const callerFor = async ({ auth }: BoundOperation): Promise<Agent | null> => {
    if (auth === "none") return null;
    if (byArgument !== null) return stillCaller();
    return auth === "required" ? (visit.agent ?? stillCaller()) : visit.agent;
  };
  // A tool may ask twice for one answer; what follows on it belongs to the last.
  let works: Work[] = [];
  return {
    agent_id: visit.agent?.agent_id ?? null,
    isNobody,
    reader: () => reader,
    answered() {
      for (const work of works) answers.afterSending(exchange, work);
    },
    async success(operation, given) {
      if (byArgument !== null) reader = (await byArgument()).agent_id;
      if (operation.givesToken === true && byArgument === null)
        reject("validation_failed", BY_ARGUMENT, [
          { field: TOKEN_ARGUMENT, problem: "is required" },
        ]);
      const { sent: named, hints: bounds } = clamped(operation, spelled(operation, given));
      const hints = [...idHints(operation, given), ...bounds];
      const args = { ...(reader === null ? named : withMe(operation, named, reader)) };
      if (isPublicRead(operation)) refuseUnknown(operation, args);
      const shared = readShared(operation, args);
      if (shared !== null) return hinted(await shared, hints);
      const caller = await callerFor(operation);
      demandScope(operation, caller);
      const mine: Work[] = [];
      works = mine;
      const afterAnswer = (work: Work) => void mine.push(work);
      const invocation = {
        agent: caller,
        afterAnswer,
        waiter,
        sender,
        isStrict: true,
        stillCaller,
      };
      const body = { ...(await invoke(operation, dispatcher, invocation, args)) };
      return hinted({ text: JSON.stringify(body), body }, hints);
    },
    failure(error) {
      works = [];
      const heard = answers.heardOf(exchange, error, wording);
      const text = errorBody(heard, exchange.request_id);
      return MENDED_BY_SIGN_IN.has(heard.code)
        ? { text, _meta: signInBy(challenge, heard) }
        : { text };
    },
  };
}

/** An answer that also says what was taken in another way than it was sent. */
function hinted(success: Success, hints: readonly Problem[]): Success {
  if (hints.length === 0) return success;
  const { ok, hints: others = [], ...rest } = success.body;
  const body = { ok, hints: [...hints, ...[others].flat()].slice(0, HINTS_MAX), ...rest };
  return { text: JSON.stringify(body), body };
}

/** Hands on what the SDK answers: one text, or a stream for a subscriber. */
async function pass(answers: Answers, exchange: Exchange, response: Response): Promise<void> {
  const type = response.headers.get("content-type");
  const head = answers.headers(type === null ? [] : ["Content-Type", type], NO_STORE);
  if (response.body === null || !type?.startsWith("text/event-stream")) {
    const bytes = namingParameters(Buffer.from(await response.arrayBuffer()));
    return answers.send(exchange, response.status, head, bytes.length === 0 ? undefined : bytes);
  }
  answers.stream(exchange, head, Readable.fromWeb(response.body));
}
