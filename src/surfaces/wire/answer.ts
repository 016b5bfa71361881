import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";
import {
  docsOf,
  ERRORS,
  type ErrorCode,
  Rejection,
  type Wording,
} from "../../platform/kernel/contract/errors.ts";
import type { Room } from "../connections/room.ts";
import { SMALL_ANSWER_BYTES, type Unsent } from "../connections/unsent.ts";
import type { Incoming, Outgoing } from "../incoming/incoming.ts";

/** What logs and figures may know of an answer: no address, URL, query, body, token or agent. */
export interface Answered {
  /** 16 hex characters, also in the answer. */
  readonly request_id: string;
  readonly method: string;
  /** The path's template, or a word in brackets for what reached no route. */
  readonly route: string;
  readonly status: number;
  /** Of the body; 0 when none was sent. */
  readonly bytes: number;
  readonly began_ms: number;
  /** When it began to wait for news, which is no work; 0 where it never did. */
  readonly waits_ms: number;
  readonly ended_ms: number;
}

/** The observer of answers. `answered` is called once for each answer, so it must be quick. */
export interface Observer {
  /** A clock that only runs forward; its zero means nothing. */
  readonly now_ms: () => number;
  answered(answer: Answered): void;
  /** An error that is no `Rejection`: a bug, or a machine that fails. */
  failed(answer: Answered, cause: unknown): void;
}

/** One request and what becomes of it. */
export interface Exchange extends Answered {
  readonly req: Incoming;
  readonly res: Outgoing;
  route: string;
  status: number;
  bytes: number;
  waits_ms: number;
  ended_ms: number;
  readonly now_ms: () => number;
  /** What a 401 says beside the realm. */
  challenge?: string | undefined;
  /** The body of a refusal, where the protocol of its path has a form for that. */
  refusal?: ((rejection: Rejection) => object) | undefined;
}

/** Work that follows a sent answer. */
export type Work = () => Promise<unknown>;

/** Header names and values in one flat list: the form that Node writes fastest. */
export type HeaderList = readonly string[];

export const NO_STORE: HeaderList = ["Cache-Control", "no-store"];
export const JSON_TYPE: HeaderList = ["Content-Type", "application/json"];
const CLOSE: HeaderList = ["Connection", "close"];

const STREAM_STATUS = 200;

const UNROUTED = "(none)";
const UNPARSED = "(unparsed)";

/** After these the rest of the connection cannot be trusted, or is not wanted. */
const CLOSING: ReadonlySet<ErrorCode> = new Set([
  "bad_request",
  "uri_too_long",
  "headers_too_large",
  "body_too_large",
  "request_timeout",
]);

export interface AnswerParts {
  /** What every answer carries. */
  readonly common: HeaderList;
  /** 8 hex characters that distinguish this process from others: the first half of its request ids. */
  readonly process_id: string;
  readonly observer: Observer;
  readonly unsent: Pick<Unsent, "admits" | "written">;
  readonly room: Pick<Room, "isCrowded">;
  /** How refusals name routes. */
  readonly wording: Wording;
}

export type Answers = ReturnType<typeof answersOf>;

function idsOf(process_id: string): () => string {
  let count = 0;
  return () => {
    count = (count + 1) % 0x1_0000_0000;
    return process_id + count.toString(16).padStart(8, "0");
  };
}

/** How answers are written: the headers of all, the envelope of errors, the eye of one observer. */
export function answersOf({ common, process_id, observer, unsent, room, wording }: AnswerParts) {
  const nextId = idsOf(process_id);
  let draining = false;

  const begin = (req: Incoming, res: Outgoing): Exchange => ({
    req,
    res,
    request_id: nextId(),
    method: req.method ?? UNPARSED,
    route: UNROUTED,
    status: 0,
    bytes: 0,
    began_ms: observer.now_ms(),
    waits_ms: 0,
    ended_ms: 0,
    now_ms: observer.now_ms,
  });

  /**
   * Writes an answer; `head` comes from `headers()`. A second answer to one request is dropped. A large
   * answer to a read is 503 `overloaded` when its client, or all together, left too much unread; what
   * a write has done is answered in any case.
   */
  function send(
    exchange: Exchange,
    status: number,
    head: HeaderList,
    body?: Buffer | string,
  ): void {
    const { req, res } = exchange;
    if (res.headersSent) return;
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    const isLarge = bytes > SMALL_ANSWER_BYTES && req.method !== "HEAD";
    if (isLarge && req.method === "GET" && !unsent.admits(req)) {
      refuse(exchange, UNREAD);
      return;
    }
    const list = [...head, "X-Request-Id", exchange.request_id];
    if (body !== undefined) list.push("Content-Length", String(bytes));
    if (draining || room.isCrowded()) list.push(...CLOSE);
    res.writeHead(status, list);
    if (req.complete) res.end(body);
    else endEarly(exchange, status, body);
    if (isLarge) unsent.written(req);
    exchange.status = status;
    exchange.bytes = req.method === "HEAD" ? 0 : bytes;
    exchange.ended_ms = observer.now_ms();
    observer.answered(exchange);
  }

  /** The caller's view of an error; any other error than a `Rejection` is reported to the observer alone. */
  function heardOf(exchange: Exchange, error: unknown, words = wording): Rejection {
    if (error instanceof Rejection) return error.worded(words);
    observer.failed(exchange, error);
    return BUG;
  }

  /** Answers with an error. */
  function refuse(exchange: Exchange, error: unknown, extra: HeaderList = []): void {
    const rejection = heardOf(exchange, error);
    const head = [...common, ...errorHeaders(rejection, exchange.challenge), ...extra];
    if (CLOSING.has(rejection.code)) head.push(...CLOSE);
    const body =
      exchange.refusal === undefined
        ? errorBody(rejection, exchange.request_id)
        : JSON.stringify(exchange.refusal(rejection));
    send(exchange, rejection.status, head, body);
  }

  /** An error as text, for a socket on which no request could be read; it must be closed then. */
  function refusalText(rejection: Rejection, extra: HeaderList = []): string {
    const request_id = nextId();
    const status = rejection.status;
    const now_ms = observer.now_ms();
    const body = errorBody(rejection.worded(wording), request_id);
    const list = [...common, ...errorHeaders(rejection), ...extra, ...CLOSE];
    const bytes = Buffer.byteLength(body);
    list.push("X-Request-Id", request_id, "Content-Length", String(bytes));
    const of = { request_id, method: UNPARSED, route: UNPARSED, status, bytes };
    observer.answered({ ...of, began_ms: now_ms, waits_ms: 0, ended_ms: now_ms });
    return wireText(status, list, body);
  }

  return {
    begin,
    send,
    refuse,
    stream: stream.bind(null, observer),
    open: open.bind(null, observer),
    heardOf,
    afterSending: (exchange: Exchange, work: Work) => afterSending(observer, exchange, work),
    refusalText,
    /** What every answer carries, then `own`. */
    headers: (...own: readonly HeaderList[]): HeaderList => [...common, ...own.flat()],
    /** From now on every answer closes its connection. */
    drain: () => {
      draining = true;
    },
    draining: () => draining,
  };
}

/**
 * Runs `work` once the answer was handed to the connection whole. A HEAD hands over nothing, and a
 * refusal not what was asked for. By then the answer is out, so only a bug is reported.
 */
function afterSending(observer: Observer, exchange: Exchange, work: Work): void {
  if (exchange.req.method === "HEAD") return;
  exchange.res.once("finish", () => {
    if (exchange.status >= ERRORS.bad_request.status) return;
    work().catch((error: unknown) => {
      if (!(error instanceof Rejection)) observer.failed(exchange, error);
    });
  });
}

/** Writes an answer that has no end of its own: it lives as long as its connection. */
function stream(observer: Observer, exchange: Exchange, head: HeaderList, body: Readable): void {
  const { res } = exchange;
  open(observer, exchange, head);
  res.once("close", () => body.destroy());
  body.on("error", () => res.destroy()).pipe(res);
}

/** Begins an answer that others write and end. */
function open(observer: Observer, exchange: Exchange, head: HeaderList): void {
  const { res } = exchange;
  res.writeHead(STREAM_STATUS, [...head, "X-Request-Id", exchange.request_id, ...CLOSE]);
  exchange.status = STREAM_STATUS;
  exchange.ended_ms = observer.now_ms();
  observer.answered(exchange);
}

function wireText(status: number, head: HeaderList, body: string): string {
  const lines = head.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** Promised only where clients come by https. */
export const strictTransport = (baseUrl: string): HeaderList =>
  baseUrl.startsWith("https:") ? ["Strict-Transport-Security", "max-age=31536000"] : [];

/** What every answer of the network itself carries. */
export function publicHeaders(baseUrl: string): HeaderList {
  return [
    ["Access-Control-Allow-Origin", "*"],
    ["Access-Control-Expose-Headers", "retry-after, www-authenticate, etag, x-request-id, allow"],
    ["X-Content-Type-Options", "nosniff"],
    ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"],
    ["Cross-Origin-Resource-Policy", "cross-origin"],
    ["Referrer-Policy", "no-referrer"],
    strictTransport(baseUrl),
  ].flat();
}

const UNREAD = new Rejection(
  "overloaded",
  "Large answers have not been read yet. Read what you asked for, then send this again.",
);

const BUG = new Rejection(
  "internal_error",
  "This is a fault of the service. Report it to the operator with this answer's request_id.",
);

/** The body of a refusal. */
export function errorBody(rejection: Rejection, request_id: string): string {
  const { code, message, details, teaching } = rejection;
  // The edge rule answers with the number that clients of such edges look for.
  const number = code === "1010" ? { code: Number(code) } : {};
  const own = { ok: false, error: code, ...number, message, details };
  return JSON.stringify({ ...own, ...teaching, docs: docsOf(code), request_id });
}

function errorHeaders({ code, retryAfter_s }: Rejection, challenge?: string): HeaderList {
  const list = [...JSON_TYPE, ...NO_STORE];
  if (ERRORS[code].status === 401) {
    const fault = code === "token_missing" ? "" : ', error="invalid_token"';
    const more = challenge === undefined ? "" : `, ${challenge}`;
    list.push("WWW-Authenticate", `Bearer realm="cairn"${fault}${more}`);
  }
  if (retryAfter_s !== undefined) list.push("Retry-After", String(retryAfter_s));
  return list;
}

/**
 * Answers before the whole request is here, and drops the rest. After a body that was too large the answer
 * goes out whole, but the connection closes only when the sender has finished: closing on unread bytes
 * resets it, and the answer could be lost. The request timeout bounds the wait, and `Incoming` the bytes.
 */
function endEarly({ req, res }: Exchange, status: number, body?: Buffer | string): void {
  if (status === ERRORS.body_too_large.status) {
    if (body !== undefined) res.write(body);
    req.once("end", () => res.end());
  } else res.end(body);
  req.discard();
}
