import type { IncomingMessage } from "node:http";
import { reject } from "../../platform/kernel/contract/errors.ts";

export const TARGET_LENGTH_MAX = 8_192;
export const HEADER_FIELDS_MAX = 100;

/** What a request asks for, in origin form, and its halves; the query without its question mark. */
interface Target {
  readonly url: string;
  readonly path: string;
  readonly query: string;
}

/** What one pass over a request's head has found. */
export interface Head {
  readonly target: Target;
  readonly fields: Fields;
}

/** A field that was not sent is undefined. `host` is the authority of a target in absolute form. */
export interface Fields {
  a2aVersion: string | undefined;
  accept: string | undefined;
  acceptEncoding: string | undefined;
  host: string | undefined;
  authorization: string | undefined;
  contentEncoding: string | undefined;
  contentLength: string | undefined;
  contentType: string | undefined;
  dryRun: string | undefined;
  expect: string | undefined;
  forwardedFor: string | undefined;
  idempotencyKey: string | undefined;
  ifNoneMatch: string | undefined;
  lastEventId: string | undefined;
  origin: string | undefined;
  prefer: string | undefined;
  transferEncoding: string | undefined;
  upgrade: string | undefined;
  userAgent: string | undefined;
}

/** The fields that we read. Node would join or drop a second one, so the raw list is what counts. */
const FIELDS: ReadonlyMap<string, keyof Fields> = new Map([
  ["a2a-version", "a2aVersion"],
  ["accept", "accept"],
  ["accept-encoding", "acceptEncoding"],
  ["host", "host"],
  ["authorization", "authorization"],
  ["content-encoding", "contentEncoding"],
  ["content-length", "contentLength"],
  ["content-type", "contentType"],
  ["dry-run", "dryRun"],
  ["x-dry-run", "dryRun"],
  ["expect", "expect"],
  ["x-forwarded-for", "forwardedFor"],
  ["idempotency-key", "idempotencyKey"],
  ["if-none-match", "ifNoneMatch"],
  ["last-event-id", "lastEventId"],
  ["origin", "origin"],
  ["prefer", "prefer"],
  ["transfer-encoding", "transferEncoding"],
  ["upgrade", "upgrade"],
  ["user-agent", "userAgent"],
]);

/** These are lists (RFC 9110, 5.3): several lines mean the same as one with commas. */
const LISTS: ReadonlySet<keyof Fields> = new Set([
  "accept",
  "acceptEncoding",
  "forwardedFor",
  "ifNoneMatch",
  "prefer",
  "upgrade",
]);

const STRICT = /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i;

/** Whether the caller wants unknown fields refused, which are ignored else (RFC 7240, 4.4). */
export const demandsStrict = ({ prefer }: Pick<Fields, "prefer">): boolean =>
  prefer !== undefined && STRICT.test(prefer);

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;
const TARGET = /^\/(?!\/)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*(?:\?[!"$-~]*)?$/;
/** Names of containers have underscores, and a port may be empty (RFC 3986, 3.2). */
const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{0,5})?$/;
/** A `%` without two digits, and what must not hide behind one: controls, slash, backslash, dot. */
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})|%(?:[01].|7[Ff]|2[EFef]|5[Cc])/;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
const DIGITS = /^[0-9]{1,15}$/;

/** The User-Agent that the edge rule 1010 refuses, matched whole and case-sensitively. */
export const REFUSED_USER_AGENT = /^Python-urllib\/\d+(?:\.\d+)*$/;

/**
 * Checks the raw request as Node's parser hands it over, before anything reads its meaning.
 * Throws 400 `bad_request`, 414 `uri_too_long` or 431 `headers_too_large`; the connection is then closed.
 */
export function edge(req: IncomingMessage): Head {
  if (req.httpVersionMajor !== 1 || req.httpVersionMinor > 1) bad("Speak HTTP/1.1.");
  const { url: asked = "" } = req;
  if (asked.length > TARGET_LENGTH_MAX)
    reject("uri_too_long", `The target may have at most ${TARGET_LENGTH_MAX} bytes.`);
  if (req.rawHeaders.length > HEADER_FIELDS_MAX * 2)
    reject("headers_too_large", `Send at most ${HEADER_FIELDS_MAX} header fields.`);

  const fields = fieldsOf(req.rawHeaders);
  // HTTP/1.0 has no Host (RFC 9112, 3.2): health checks send none, and mean the listener that they reach.
  const isHostDue = req.httpVersionMinor === 1 || fields.host !== undefined;
  if (isHostDue && !HOST.test(fields.host ?? "")) bad("Send one well-formed Host field.");
  const { authority, url } = originForm(asked);
  if (authority !== undefined && !HOST.test(authority)) bad("The target's authority is no host.");
  fields.host = authority ?? fields.host;
  checkFraming(fields, req.httpVersionMinor);
  if (fields.expect !== undefined && fields.expect.toLowerCase() !== "100-continue")
    bad("The only Expect that is understood is 100-continue.");

  return { target: targetOf(url), fields };
}

/**
 * The target as a path and query. In absolute form it has an authority, which takes the place of Host (RFC
 * 9112, 3.2.2): whatever depends on the host or the path has to ask here.
 */
export function originForm(asked: string): { readonly authority?: string; readonly url: string } {
  const [start = "", authority] = ABSOLUTE.exec(asked) ?? [];
  if (authority === undefined) return { url: asked };
  const rest = asked.slice(start.length);
  return { authority, url: rest.startsWith("/") ? rest : `/${rest}` };
}

function targetOf(url: string): Target {
  if (!TARGET.test(url))
    bad("Send the target as a path of plain ASCII, such as /api/v1, or as an http address.");
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  if (BAD_ESCAPE.test(path)) bad("The path has a percent escape that is refused.");
  if (DOT_SEGMENT.test(path)) bad("The path has a dot segment; send it resolved.");
  return { url, path, query: mark < 0 ? "" : url.slice(mark + 1) };
}

/** What a raw list of names and values says. Throws 400 for a field that was sent twice. */
export function fieldsOf(raw: readonly string[]): Fields {
  const fields: Fields = {
    a2aVersion: undefined,
    accept: undefined,
    acceptEncoding: undefined,
    host: undefined,
    authorization: undefined,
    contentEncoding: undefined,
    contentLength: undefined,
    contentType: undefined,
    dryRun: undefined,
    expect: undefined,
    forwardedFor: undefined,
    idempotencyKey: undefined,
    ifNoneMatch: undefined,
    lastEventId: undefined,
    origin: undefined,
    prefer: undefined,
    transferEncoding: undefined,
    upgrade: undefined,
    userAgent: undefined,
  };
  for (let i = 0; i < raw.length; i += 2) {
    const field = FIELDS.get((raw[i] ?? "").toLowerCase());
    if (field === undefined) continue;
    const before = fields[field];
    if (before !== undefined && !LISTS.has(field)) bad("Send each header field once.");
    fields[field] = before === undefined ? raw[i + 1] : `${before}, ${raw[i + 1]}`;
  }
  return fields;
}

/** One way to find the end of a body, or none: two are how requests are smuggled (RFC 9112, 6.3). */
function checkFraming({ contentLength, transferEncoding }: Fields, minor: number): void {
  if (contentLength !== undefined && !DIGITS.test(contentLength))
    bad("Content-Length is no number.");
  if (transferEncoding === undefined) return;
  // A recipient of HTTP/1.0 in between reads no chunks, and takes what follows for a request (RFC 9112, 6.1).
  if (minor === 0) bad("HTTP/1.0 has no Transfer-Encoding. Send Content-Length.");
  if (contentLength !== undefined) bad("Send Content-Length or Transfer-Encoding, not both.");
  if (transferEncoding.toLowerCase() !== "chunked")
    bad("The only Transfer-Encoding that is understood is chunked.");
}

function bad(message: string): never {
  return reject("bad_request", message);
}
