import {
  type ErrorCode,
  RETRY_AFTER_S,
  STATUS_OF,
  type UNIVERSAL_CODES,
} from "../kernel/errors.ts";
import type { Operation } from "../kernel/operation.ts";
import { MEANINGS } from "./error-meanings.ts";

export type Json = Readonly<Record<string, unknown>>;

type UniversalCode = (typeof UNIVERSAL_CODES)[number];

/** What the answers of an operation or a raw route depend on. */
type Answering = Pick<Operation, "method" | "auth" | "input" | "errors" | "status" | "uncached">;

const always = () => true;
/** Of the path, not of an operation on it. */
const never = () => false;
const withBody = ({ method }: Answering) => method === "POST";
const withToken = ({ auth }: Answering) => auth === "required";
const withInput = (operation: Answering) =>
  withBody(operation) || Object.keys(operation.input.shape).length > 0;

/** Which operations can answer a code that none of them lists. */
const APPLIES: Readonly<Record<UniversalCode, (operation: Answering) => boolean>> = {
  malformed_json: withBody,
  bad_request: always,
  token_missing: withToken,
  token_malformed: withToken,
  token_unknown: withToken,
  agent_banned: withToken,
  "1010": always,
  not_found: never,
  method_not_allowed: never,
  request_timeout: always,
  body_too_large: withBody,
  uri_too_long: always,
  unsupported_media_type: withBody,
  validation_failed: withInput,
  token_in_body: withBody,
  rate_limited: always,
  headers_too_large: always,
  internal_error: always,
  storage_unavailable: always,
  overloaded: always,
};

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

export const HEADERS: Json = {
  RequestId: {
    description: "Names this request to the operator; the same as request_id.",
    schema: { type: "string", pattern: "^[0-9a-f]{16}$" },
  },
  ETag: {
    description: "Of this body; send it as If-None-Match to be answered 304.",
    schema: { type: "string" },
  },
  PublicETag: {
    description: "Of this body, where no token was sent; a caller's own view has none.",
    schema: { type: "string" },
  },
  Location: {
    description: "Where it is.",
    schema: { type: "string", format: "uri" },
  },
  RetryAfter: {
    description: "Seconds after which to try again.",
    schema: { type: "integer", minimum: 0 },
  },
  Authenticate: {
    description: "Bearer, with error invalid_token where a token was sent.",
    schema: { type: "string" },
    example: 'Bearer realm="cairn"',
  },
};

const exampleOf = (code: ErrorCode): Json => ({
  summary: MEANINGS[code],
  value: {
    ok: false,
    error: code,
    message: MEANINGS[code],
    ...(code === "validation_failed" && {
      details: [{ field: "limit", problem: "must be at most 100" }],
    }),
    ...(code === "1010" && { code: 1010 }),
    request_id: "9f86d081884c7d65",
  },
});

function errorResponse(status: string, codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join("\n\n"),
    headers: {
      "X-Request-Id": header("RequestId"),
      ...(status === "401" && { "WWW-Authenticate": header("Authenticate") }),
      ...(codes.some((code) => code === "rate_limited" || RETRY_AFTER_S[code]) && {
        "Retry-After": header("RetryAfter"),
      }),
    },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
  };
}

/** What everybody may read carries an ETag and answers 304. */
const isCached = ({ method, auth, uncached }: Answering) =>
  method === "GET" && auth !== "required" && !uncached;

/**
 * Every answer of an operation by status. Answers that consist of universal codes alone are put
 * into `shared`, once each, and referred to.
 */
export function responsesOf(operation: Answering, content: Json, shared: Map<string, Json>): Json {
  const universal = Object.keys(APPLIES).filter(isUniversal);
  const codes = [...operation.errors, ...universal.filter((code) => APPLIES[code](operation))];
  const byStatus = Object.groupBy(codes, (code) => String(STATUS_OF[code]));
  const tag = header(operation.auth === "optional" ? "PublicETag" : "ETag");
  const etag = isCached(operation) && { ETag: tag };
  const headers = { "X-Request-Id": header("RequestId"), ...etag };
  const responses: Record<string, Json> = {
    [operation.status ?? 200]: { description: "Success.", headers, content },
    ...(etag && { 304: { description: "The body has not changed.", headers } }),
  };
  for (const [status, answered = []] of Object.entries(byStatus)) {
    const response = errorResponse(status, answered);
    if (!answered.every(isUniversal)) responses[status] = response;
    else {
      const all = universal.filter((code) => String(STATUS_OF[code]) === status);
      const name = answered.length === all.length ? status : [status, ...answered].join("-");
      shared.set(name, response);
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return responses;
}

const isUniversal = (code: string): code is UniversalCode => code in APPLIES;
