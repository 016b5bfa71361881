import { Readable } from "node:stream";
import { Rejection, type Wording } from "../../kernel/contract/errors.ts";
import { spelled } from "../../kernel/words/spelling.ts";
import { MCP } from "../describe/fixed-routes.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";

import { refuseUnknown } from "../dispatch/teaching.ts";
import { wordingOf } from "../dispatch/wording.ts";
import type { StreamSlots } from "../live/slots.ts";
import { isPublicRead } from "../routing/public-reads.ts";
import { received } from "../routing/received.ts";
import type { Gate, Visit } from "../routing/routes.ts";
import {
  type Answers,
  type Exchange,
  errorBody,
  JSON_TYPE,
  NO_STORE,
  type Work,
} from "../wire/answer.ts";
import { DEPTH_MAX, JSON_IN_UTF8, jsonOf, type Reading } from "../wire/body.ts";
import type { Head } from "../wire/edge.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";
import type { Origins } from "../wire/origins.ts";
import type { Senders } from "../wire/sender.ts";
import { waiterOf } from "../wire/waiter.ts";
import { namingParameters } from "./parameter-faults.ts";
import type { Answering, McpParts } from "./server.ts";
import type { SharedRead } from "./shared-reads.ts";
import { toolName } from "./tools.ts";

export interface McpGateParts extends McpParts {
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly dispatcher: Dispatcher;
  readonly slots: StreamSlots;
  readonly baseUrl: string;
  readonly readShared: SharedRead;
  readonly senders: Senders;
  readonly origins: Origins;
}

export const MCP_BODY_MAX_BYTES = 2 * 1024 * 1024;
/** Members of one object or list of a message, but of an argument's value: the SDK looks at each. */
export const MCP_MEMBERS_MAX = 256;
/** A tool's arguments stand two levels deeper than the body of the same request by REST. */
const ENVELOPE_DEPTH = 2;
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
 * `POST /api/v1/mcp`. The SDK is loaded with the first request: a service that nobody asks by MCP
 * starts sooner and stays smaller.
 */
export function mcpGate(parts: McpGateParts): Gate {
  const { answers, baseUrl } = parts;
  const wording = wordingOf(parts.registry, toolName);
  let endpoint: Promise<ReturnType<typeof import("./endpoint.ts").mcpEndpoint>> | null = null;
  const load = async () => (await import("./endpoint.ts")).mcpEndpoint({ ...parts, onError() {} });

  async function enter(visit: Visit): Promise<void> {
    const { exchange, head } = visit;
    const json = answers.headers(JSON_TYPE, NO_STORE);
    const { inFlight } = parts;
    const { body, agent } = await received(visit, (uploader) =>
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
    endpoint ??= load();
    const answering = answeringOf({ ...parts, wording }, { ...visit, agent });
    const waiter = waiterOf(visit, parts.senders);
    const response = await (await endpoint)({
      url: baseUrl + head.target.url,
      headers: new Headers(headersOf(exchange)),
      body: body.value,
      query: new URLSearchParams(head.target.query),
      serving: answering,
      listener: { agent, sender: visit.sender, exchange, waiter, check: visit.stillCaller },
    });
    answering.answered();
    await pass(answers, exchange, response);
  }

  return { path: MCP.path, methods: [MCP.method], guard: parts.origins.demandOwn, enter };
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
  }: McpGateParts & { readonly wording: Wording },
  visit: Visit,
): Answering & { readonly answered: () => void } {
  const { exchange, agent, sender, stillCaller } = visit;
  const waiter = waiterOf(visit, senders);
  // A tool may ask twice for one answer; what follows on it belongs to the last.
  let works: Work[] = [];
  return {
    agent_id: agent.agent_id,
    answered() {
      for (const work of works) answers.afterSending(exchange, work);
    },
    async success(operation, given) {
      const args = { ...spelled(operation, given) };
      if (isPublicRead(operation)) refuseUnknown(operation, args);
      const shared = readShared(operation, args);
      if (shared !== null) return shared;
      const caller = operation.auth === "none" ? null : agent;
      const mine: Work[] = [];
      works = mine;
      const afterAnswer = (work: Work) => void mine.push(work);
      const invocation = {
        ...{ agent: caller, afterAnswer, waiter, stillCaller, sender },
        isStrict: true,
      };
      const body = { ...(await invoke(operation, dispatcher, invocation, args)) };
      return { text: JSON.stringify(body), body };
    },
    failure(error) {
      works = [];
      return errorBody(answers.heardOf(exchange, error, wording), exchange.request_id);
    },
  };
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
