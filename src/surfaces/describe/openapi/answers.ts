import {
  type CommonCode,
  type Commonness,
  docsOf,
  ERRORS,
  type ErrorCode,
  isCommon,
} from "../../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../../platform/kernel/contract/operation.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What the answers of an operation or a raw route depend on. */
type Answering = Pick<Operation, "method" | "auth" | "input" | "errors" | "status" | "uncached">;

const withBody = ({ method }: Answering) => method === "POST";

/** Which operations can answer a code that none of them lists. */
const APPLIES: Readonly<Record<Commonness, (operation: Answering) => boolean>> = {
  always: () => true,
  with_body: withBody,
  with_token: ({ auth }) => auth === "required",
  with_input: (operation) => withBody(operation) || Object.keys(operation.input.shape).length > 0,
  with_time: ({ input }) => "not_after" in input.shape,
  with_mark: (operation) => takesMark(operation),
  by_path: () => false,
  as_tool: () => false,
};

const COMMON = Object.keys(ERRORS).filter(isCommon);

const canAnswer = (operation: Answering) => (code: CommonCode) =>
  APPLIES[ERRORS[code].common ?? "by_path"](operation);

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
  summary: ERRORS[code].meaning,
  value: {
    ok: false,
    error: code,
    message: ERRORS[code].meaning,
    ...(code === "validation_failed" && {
      details: [{ field: "limit", problem: "must be at most 100" }],
      accepts: ["limit?", "cursor?"],
    }),
    ...(code === "1010" && { code: 1010 }),
    docs: docsOf(code),
    request_id: "9f86d081884c7d65",
  },
});

function errorResponse(status: string, codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
    headers: {
      "X-Request-Id": header("RequestId"),
      ...(status === "401" && { "WWW-Authenticate": header("Authenticate") }),
      ...(codes.some((code) => code === "rate_limited" || ERRORS[code].retry_s) && {
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

/** The answer to a write that was only tried, or that an earlier one had made. */
const DRY: Json = {
  description:
    "Nothing was stored: it was only tried (`dry_run`), or the same was made before, and the body has the fields of 201 (`repeated`).",
  content: {
    "application/json": {
      schema: { type: "object", properties: { ok: { const: true } }, required: ["ok"] },
      example: { ok: true },
    },
  },
};

/** What everybody may read carries an ETag and answers 304. */
const isCached = ({ method, auth, uncached }: Answering) =>
  method === "GET" && auth !== "required" && !uncached;

/**
 * Every answer of an operation by status. Those without a body of its own, which are all but its
 * successes, are put into `shared` by their status and codes, and referred to.
 */
export function responsesOf(operation: Answering, content: Json, shared: Map<string, Json>): Json {
  const codes = [...operation.errors, ...COMMON.filter(canAnswer(operation))];
  const byStatus = Object.groupBy(codes, (code) => String(ERRORS[code].status));
  const tag = operation.auth === "optional" ? "PublicETag" : "ETag";
  const etag = isCached(operation) && { ETag: header(tag) };
  const headers = { "X-Request-Id": header("RequestId"), ...etag };
  const responses: Record<string, Json> = {
    [operation.status ?? 200]: { description: "Success.", headers, content },
    ...(operation.status === 201 && takesMark(operation) && { 200: { ...DRY, headers } }),
    ...(etag && { 304: share(shared, `304-${tag}`, { description: UNCHANGED, headers }) }),
  };
  for (const [status, answered = []] of Object.entries(byStatus))
    responses[status] = share(shared, nameOf(status, answered), errorResponse(status, answered));
  return responses;
}

/** Whether a write takes a `client_ref`, by which it is made once. */
export const takesMark = ({ input }: Pick<Answering, "input">): boolean =>
  "client_ref" in input.shape;

const UNCHANGED = "The body has not changed.";

/** A response that other operations give, too. */
export function share(shared: Map<string, Json>, name: string, response: Json): Json {
  shared.set(name, response);
  return { $ref: `#/components/responses/${name}` };
}

/** The status alone where all common codes of it are answered, and no other. */
function nameOf(status: string, answered: readonly ErrorCode[]): string {
  const all = COMMON.filter((code) => String(ERRORS[code].status) === status);
  const isAll = answered.every(isCommon) && answered.length === all.length;
  return isAll ? status : [status, ...answered].join("-");
}
