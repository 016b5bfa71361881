import { failure } from "../kernel/failure.ts";
import type { Operation } from "../kernel/operation.ts";
import { CairnError } from "./error.ts";
import { pause } from "./pause.ts";

/** Where the network is, and who calls. */
export interface Connection {
  /** `https://cairn.example`, or its `api_base`: with or without `/api/v1` or a slash at the end. */
  readonly baseUrl: string;
  /** `sk_…` from `identity.register`; public reads need none, and never send it. */
  readonly token?: string | undefined;
  /** The global one unless told. */
  readonly fetch?: typeof fetch | undefined;
  /** How long one attempt may take: 30,000 unless told. */
  readonly timeout_ms?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, and the pauses between its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the connection's. */
  readonly timeout_ms?: number | undefined;
}

export const TIMEOUT_MS = 30_000;
/** A read that meets 429 or 503 is tried this often in all. A write never is: it may have happened. */
const ATTEMPTS_MAX = 3;
/** A network that asks for a longer pause is answered to the caller instead. */
const RETRY_AFTER_MAX_S = 30;
const RETRY_AFTER_DEFAULT_S = 1;

type Input = Readonly<Record<string, unknown>>;

/** The address of the network itself. Throws a CairnError `bad_base_url` where it is none. */
export function originOf(baseUrl: string): string {
  const url = urlIn(baseUrl);
  const isAlone = url !== null && url.username + url.password + url.search + url.hash === "";
  if (!isAlone || !/^https?:$/.test(url.protocol)) {
    const message = "The base URL is the network's address alone, with http:// or https://.";
    throw new CairnError({ code: "bad_base_url", message });
  }
  return (url.origin + url.pathname).replace(/\/+$/, "").replace(/\/api\/v1(?:\/mcp)?$/, "");
}

/** `URL.parse` is younger than the oldest platform that the client runs on. */
function urlIn(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** The HTTP request of an operation: path, then query or body, from one flat input. */
function requestOf(connection: Connection, operation: Operation, input: Input) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest.get(name)));
    rest.delete(name);
    return value;
  });
  const url = new URL(`${originOf(connection.baseUrl)}/api/v1${path === "/" ? "" : path}`);
  const headers = new Headers();
  if (operation.auth !== "none" && connection.token !== undefined)
    headers.set("authorization", `Bearer ${connection.token}`);
  // The network never redirects; following one would drop the token or turn a write into a read.
  const init = { method: operation.method, headers, redirect: "manual" } as const;
  if (operation.method === "GET") {
    for (const [name, value] of rest) url.searchParams.set(name, String(value));
    return { url, init };
  }
  headers.set("content-type", "application/json");
  return { url, init: { ...init, body: JSON.stringify(Object.fromEntries(rest)) } };
}

const isSuccess = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "ok" in body && body.ok === true;

/** The success body; a CairnError for everything else that can arrive. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const facts = {
    status: response.status,
    request_id: response.headers.get("x-request-id") ?? undefined,
    retry_after_s: secondsOf(response.headers.get("retry-after")),
  };
  try {
    const body: unknown = JSON.parse(text);
    if (response.ok && isSuccess(body)) return body;
    const { ok: _, error, code: _code, ...told } = failure.parse(body);
    throw new CairnError({ ...told, ...facts, code: error });
  } catch (cause) {
    if (cause instanceof CairnError) throw cause;
    const message = `The answer with status ${response.status} is not one of Cairn's; check the base URL.`;
    throw new CairnError({ ...facts, code: "unexpected_answer", message, cause });
  }
}

/** Seconds of a Retry-After; the form with a date is not used by the network. */
const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;

/** One attempt. Every failure of the connection becomes a CairnError, but an abort stays an abort. */
async function attempt(
  connection: Connection,
  operation: Operation,
  input: Input,
  options: CallOptions,
): Promise<unknown> {
  const { fetch = globalThis.fetch } = connection;
  const { url, init } = requestOf(connection, operation, input);
  const timeout = AbortSignal.timeout(options.timeout_ms ?? connection.timeout_ms ?? TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await bodyOf(await fetch(url, { ...init, signal }));
  } catch (cause) {
    options.signal?.throwIfAborted();
    if (cause instanceof CairnError) throw cause;
    throw timeout.aborted
      ? new CairnError({ code: "timed_out", message: "There was no answer in time.", cause })
      : new CairnError({ code: "unreachable", message: "The network cannot be reached.", cause });
  }
}

/** Seconds to wait before the same call may be sent again; null when it may not. */
function retryAfter_s(operation: Operation, error: unknown, attempts: number): number | null {
  if (operation.method !== "GET" || attempts >= ATTEMPTS_MAX) return null;
  if (!(error instanceof CairnError) || (error.status !== 429 && error.status !== 503)) return null;
  const asked_s = error.retry_after_s ?? RETRY_AFTER_DEFAULT_S;
  return asked_s <= RETRY_AFTER_MAX_S ? asked_s : null;
}

/** Sends one operation. Rejects with CairnError, or with the reason of an aborted signal. */
export async function send(
  connection: Connection,
  operation: Operation,
  input: Input,
  options: CallOptions = {},
): Promise<unknown> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(connection, operation, input, options);
    } catch (error) {
      const wait_s = retryAfter_s(operation, error, attempts);
      if (wait_s === null) throw error;
      await pause(wait_s * 1_000, options.signal);
    }
  }
}
