import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answered, Asked } from "./fuzz-requests.ts";
import type { Document, Documented, Schema } from "./openapi-document.ts";

/** Holds an answer against the document. */
export type Judge = (asked: Asked, answered: Answered) => void;

/** What the edge may answer before it has looked at a token. */
const BEFORE_TOKENS = [400, 403, 414, 431];

export function judgeOf({ components: { schemas } }: Document): Judge {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    keywords: ["components", "x-max-bytes", "x-untrusted"],
  });
  const known = new Map<Schema, ValidateFunction>();
  const faultsOf = (schema: Schema, value: unknown): string => {
    const check = known.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
    known.set(schema, check);
    return check(value) ? "" : ajv.errorsText(check.errors);
  };

  /** The document's own answer of this status: its headers, its type, its shape. */
  function isAsDocumented({ responses }: Documented, { status, headers, text }: Answered): void {
    const response = responses[status];
    assert.ok(response, "the status is documented");
    for (const [name, { $ref = "" }] of Object.entries(response.headers ?? {}))
      if (!/\/(?:RetryAfter|PublicETag)$/.test($ref))
        assert.ok(headers[name.toLowerCase()], `it has ${name}`);
    if (response.content === undefined) {
      assert.equal(text, "", "no body is documented");
      return;
    }
    const type = String(headers["content-type"]);
    const media = response.content[type];
    assert.ok(media, `${type} is documented`);
    const body: unknown = type.endsWith("json") ? JSON.parse(text) : text;
    assert.equal(faultsOf(media.schema, body), "", "the body matches its schema");
    const { ok, error, message } = Object(body);
    if (ok !== undefined) assert.equal(ok, status < 300, "ok agrees with the status");
    if (ok === false) assert.ok(error && message, "an error has its code and a message");
    if (ok === false && media.examples)
      assert.ok(error in media.examples, `${error} is documented`);
  }

  return (asked, answered) => {
    const { operation, method, caller, fields } = asked;
    const { status, headers, text } = answered;
    // The dev chain of a busy machine may be late; that is no fault of the service.
    if (status !== 503 || !text.includes('"chain_unavailable"'))
      assert.ok(status < 500, "never a fault of the service");
    if (operation.path.startsWith("/api/"))
      assert.equal(headers["access-control-allow-origin"], "*", "pages may read it");
    if (method !== operation.method) {
      isSane(asked, answered);
      return;
    }
    if (operation.needsToken && (caller === "nobody" || caller === "stranger"))
      assert.ok([401, ...BEFORE_TOKENS].includes(status), "a token is needed");
    isAsDocumented(operation, answered);
    if (status < 300) assert.equal(faultsOf(operation.input, sentOf(operation, fields)), "");
  };
}

/** An answer to a method that is not the operation's own. */
function isSane({ operation, method }: Asked, { status, headers, text }: Answered): void {
  const { methods, responses, needsToken } = operation;
  const isRead = method === "HEAD" && methods.includes("GET");
  if (method === "HEAD") assert.equal(text, "", "there is no body");
  if (BEFORE_TOKENS.includes(status)) return;
  if (isRead) {
    // Where the path has two operations, the other one answers.
    assert.ok(operation.method !== "GET" || responses[status], "the status is documented");
    return;
  }
  if (status === 401 && needsToken) return; // Another protocol looks at its methods itself, later.
  // Without a list of logs nothing is at these paths, and a repository has another form.
  if (status === 404 && /^\/(witness|git)\//.test(operation.path)) return;
  if (method === "OPTIONS") assert.deepEqual([status, text], [204, ""]);
  else assert.equal(status, 405, "the method is wrong");
  const allowed = String(headers["allow"]).split(", ");
  for (const one of methods) assert.ok(allowed.includes(one), `${one} is allowed`);
}

/** Two fields take booleans for the words that the document names. */
function inWords(name: string, value: unknown): unknown {
  if (!/^(true|false)$/.test(String(value))) return value;
  if (name === "outcome") return String(value);
  return name === "dry_run" ? Number(String(value) === "true") : value;
}

/** A list may come as a text with commas. */
const asList = (schema: unknown, value: unknown): unknown =>
  Object(schema).type === "array" && typeof value === "string" ? value.split(",") : value;

/** The fields as they arrive: null leaves an optional one out, a query and a path carry texts and `true`. */
function sentOf({ method, input }: Documented, fields: Asked["fields"]): unknown {
  const sent = JSON.parse(JSON.stringify(fields));
  if (method === "POST")
    return Object.fromEntries(
      Object.entries(sent)
        .filter(([k, v]) => v !== null || input.required?.includes(k))
        .map(([k, v]) => [k, inWords(k, asList(input.properties?.[k], v))]),
    );
  return Object.fromEntries(
    Object.entries(sent).map(([k, v]) => [
      k,
      typeof v === "string" || typeof v === "boolean" ? v : JSON.stringify(v),
    ]),
  );
}
