import { type A2AError, VersionNotSupportedError } from "@a2a-js/sdk/errors";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { majorMinor } from "../describe/agent-card.ts";
import { methodNotAllowed } from "../routing/near-routes.ts";
import { type HeaderList, JSON_TYPE } from "../wire/answer.ts";
import type { Call, Caller, Perform } from "./calls.ts";
import { refusalOf, restRefusal, ServiceRefusal } from "./refusals.ts";

export interface RestRequest {
  readonly method: string;
  /** Below the binding's own. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed, or why it could not be read. */
  readonly body: { readonly value: unknown } | Rejection;
  /** As the header says it; empty where there is none. */
  readonly version: string;
}

interface RestAnswer {
  readonly status: number;
  readonly head: HeaderList;
  readonly body: unknown;
}

/** An answer that goes on. */
interface RestStream {
  readonly results: AsyncIterable<unknown>;
}

/** What a request carries: its body, its query without the empty fields, and the id in its path. */
interface Sent {
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
  readonly id: string | undefined;
}

interface Route {
  readonly verb: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  /** The same call in JSON-RPC. */
  readonly method: string;
  readonly params: (sent: Sent) => unknown;
}

const ofBody = ({ body }: Sent) => body;
const ofPath = ({ id, query }: Sent) => ({ ...query, id });
const ofBoth = ({ id, query, body }: Sent) => ({ ...query, id, metadata: Object(body).metadata });

const TASK = /^\/tasks\/([^/:]+)$/;
const SUBSCRIPTION = /^\/tasks\/([^/:]+):subscribe$/;
const CONFIGS = /^\/tasks\/([^/]+)\/pushNotificationConfigs$/;
const CONFIG = /^\/tasks\/([^/]+)\/pushNotificationConfigs\/[^/]+$/;

const ROUTES: readonly Route[] = [
  { verb: "POST", path: /^\/message:send$/, method: "SendMessage", params: ofBody },
  { verb: "POST", path: /^\/message:stream$/, method: "SendStreamingMessage", params: ofBody },
  {
    verb: "GET",
    path: /^\/tasks$/,
    method: "ListTasks",
    params: ({ query }) => ({ ...query, includeArtifacts: query["includeArtifacts"] === "true" }),
  },
  { verb: "GET", path: TASK, method: "GetTask", params: ofPath },
  { verb: "POST", path: /^\/tasks\/([^/:]+):cancel$/, method: "CancelTask", params: ofBoth },
  { verb: "GET", path: SUBSCRIPTION, method: "SubscribeToTask", params: ofPath },
  { verb: "POST", path: SUBSCRIPTION, method: "SubscribeToTask", params: ofPath },
  { verb: "GET", path: CONFIGS, method: "ListTaskPushNotificationConfigs", params: ofPath },
  { verb: "POST", path: CONFIGS, method: "CreateTaskPushNotificationConfig", params: ofBody },
  { verb: "GET", path: CONFIG, method: "GetTaskPushNotificationConfig", params: ofPath },
  { verb: "DELETE", path: CONFIG, method: "DeleteTaskPushNotificationConfig", params: ofPath },
  { verb: "GET", path: /^\/extendedAgentCard$/, method: "GetExtendedAgentCard", params: ofPath },
];

const RESULT_TYPE: HeaderList = ["Content-Type", "application/a2a+json"];

/** Answers one request in the HTTP+JSON binding: the calls of JSON-RPC under paths and verbs. */
export async function answerRest(
  perform: Perform,
  { method, path, query, body, version }: RestRequest,
  caller: Caller,
): Promise<RestAnswer | RestStream> {
  const verb = method === "HEAD" ? "GET" : method;
  const plain = path.replaceAll(/%3a/gi, ":"); // Many clients encode it in a segment.
  const here = ROUTES.filter((route) => route.path.test(plain));
  const route = here.find((each) => each.verb === verb);
  if (route === undefined) return nothingHere(here);
  if (version !== "" && majorMinor(version) !== "1.0")
    return refused(new VersionNotSupportedError("Speak A2A 1.0 here."));
  if (body instanceof Rejection) return refused(refusalOf(body));

  const id = route.path.exec(plain)?.[1];
  const filled = Object.fromEntries([...query].filter(([, value]) => value !== ""));
  const params = route.params({ body: body.value, query: filled, id });
  // A cancellation is asked for by its path, and its body says no more than its metadata.
  const beside = route.params === ofBoth ? Object(body.value) : {};
  const call: Call = {
    version: "1.0",
    method: route.method,
    params,
    query: { ...filled, ...beside },
  };
  const outcome = await perform(call, caller);
  if ("results" in outcome) return outcome;
  return "refusal" in outcome
    ? refused(outcome.refusal)
    : { status: 200, head: RESULT_TYPE, body: outcome.result };
}

function nothingHere(routes: readonly Route[]): RestAnswer {
  if (routes.length === 0)
    return refused(new ServiceRefusal(new Rejection("not_found", "The binding has no such path.")));
  const verbs = routes.flatMap(({ verb }) => (verb === "GET" ? ["GET", "HEAD"] : verb));
  const allow = [...verbs, "OPTIONS"].join(", ");
  return refused(new ServiceRefusal(methodNotAllowed(allow)), ["Allow", allow]);
}

/** Errors are plain JSON (A2A, 11.6). */
function refused(refusal: A2AError, extra: HeaderList = []): RestAnswer {
  const { status, body } = restRefusal(refusal);
  const wait_s = refusal instanceof ServiceRefusal ? refusal.retryAfter_s : undefined;
  const retry = wait_s === undefined ? [] : ["Retry-After", String(wait_s)];
  return { status, head: [...JSON_TYPE, ...extra, ...retry], body };
}
