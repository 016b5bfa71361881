import type { Route } from "../platform/kernel/contract/call-table.ts";
import { isParsable } from "../platform/kernel/json-bounds.ts";
import { urlIn } from "../platform/kernel/url.ts";
import { isOpen } from "../verify/shapes.ts";
import { CairnError, refusalIn } from "./error.ts";
import { pause } from "./retries/pause.ts";
import { VERSION } from "./routes.ts";
import type { CallOptions } from "./wire.ts";

/** Where the network is, and who calls. */
export interface Connection {
  /** `https://cairn.example`, or its `api_base`: with or without `/api/v1` or a slash at the end. */
  readonly baseUrl: string;
  /**
   * `sk_…` from `identity.register`; public reads need none, and never send it. White space and a byte
   * order mark at its ends do no harm.
   */
  readonly token?: string | undefined;
  /** Default: the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Ends every call, and the pauses between its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take: default 30,000. */
  readonly timeout_ms?: number | undefined;
  /** Default: `cairn-client/VERSION`. A browser sends its own. */
  readonly userAgent?: string | undefined;
}

export const TIMEOUT_MS = 30_000;
const MIB = 1024 * 1024;
/** More than any answer of a network: lists end at 1 MiB, and one file or application as JSON has at most 3. */
const ANSWER_MAX_BYTES = 4 * MIB;
/** A read that meets 429, 503 or nobody is tried this often in all. A write never is: it may have happened. */
const ATTEMPTS_MAX = 3;
/** A network that asks for a longer pause is answered to the caller instead. */
export const RETRY_AFTER_MAX_S = 30;
const RETRY_AFTER_DEFAULT_S = 1;

type Input = Readonly<Record<string, unknown>>;

/** The address of the network itself. Throws a CairnError `bad_base_url` where it is none. */
export function originOf(baseUrl: string): string {
  const url = urlIn(baseUrl);
  const isAlone = url !== null && url.username + url.password + url.search + url.hash === "";
  if (!isAlone || !/^https?:$/.test(url.protocol)) {
    const message = "The base URL is an address alone. Write it with http:// or https://.";
    throw new CairnError({ code: "bad_base_url", message });
  }
  return (url.origin + url.pathname).replace(/\/+$/, "").replace(/\/api\/v1(?:\/mcp)?$/, "");
}

/** Whether the platform lets a program name itself; in a browser the header would cost a preflight. */
const namesItself = (): boolean =>
  !/^(?!Node|Bun|Deno)./.test(globalThis.navigator?.userAgent ?? "");

/** The characters of a token in a header (RFC 6750, 2.1). */
const BEARER = /^[A-Za-z0-9._~+/-]+=*$/;

/** The header of a token. A platform's own error would show what was given in its place. */
function bearerOf(token: unknown): string {
  const bare = typeof token === "string" ? token.trim() : "";
  if (BEARER.test(bare)) return `Bearer ${bare}`;
  const message = "The token has characters that no token has. Pass the text that begins with sk_.";
  throw new CairnError({ code: "bad_token", message });
}

/** A value as one segment of a path: `new URL` would take the others for steps to other routes. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value);
  if (!/^\.{0,2}$/.test(text) && text.isWellFormed()) return encodeURIComponent(text);
  const message = `\`${name}\` must be a name or an id, and is a part of the path.`;
  throw new CairnError({ code: "bad_arguments", message });
}

/** The HTTP request of an operation: path, then query or body, from one flat input. */
function requestOf(connection: Connection, route: Route, input: Input) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = segmentOf(name, rest.get(name));
    rest.delete(name);
    return value;
  });
  const url = new URL(`${originOf(connection.baseUrl)}/api/v1${path === "/" ? "" : path}`);
  const headers = new Headers();
  if (namesItself()) headers.set("user-agent", connection.userAgent ?? `cairn-client/${VERSION}`);
  if (route.auth !== "none" && connection.token !== undefined)
    headers.set("authorization", bearerOf(connection.token));
  // The network never redirects; following one would drop the token or turn a write into a read.
  const init = { method: route.method, headers, redirect: "manual" } as const;
  if (route.method === "GET") {
    for (const [name, value] of rest) url.searchParams.set(name, String(value));
    return { url, init };
  }
  headers.set("content-type", "application/json");
  return { url, init: { ...init, body: JSON.stringify(Object.fromEntries(rest)) } };
}

/** The bytes of an answer while they come. Rejects with a CairnError `answer_too_large` behind `bytes_max`. */
export async function* bytesOf(response: Response, bytes_max: number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (let bytes = 0; reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
    if (bytes > bytes_max) {
      await reader.cancel();
      throw tooLarge(response, `exceeds ${bytes_max / MIB} MiB`);
    }
    yield value;
  }
}

/**
 * The value of an answer in JSON; undefined where it is none. Rejects with a CairnError `answer_too_large`, also for
 * short texts of which a parser would make much.
 */
export async function jsonOf(response: Response, bytes_max: number): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bytesOf(response, bytes_max))
    text += decoder.decode(chunk, { stream: true });
  text += decoder.decode();
  if (!isParsable(text, bytes_max))
    throw tooLarge(response, "has too many values, or too many levels");
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tooLarge = ({ status }: Response, what: string): CairnError =>
  new CairnError({ code: "answer_too_large", message: `The answer ${what}.`, status });

/** The success body; a CairnError for everything else that can arrive. */
async function bodyOf(response: Response): Promise<unknown> {
  const { ok, status, headers } = response;
  const body = await jsonOf(response, ANSWER_MAX_BYTES);
  if (ok && isOpen(body) && body["ok"] === true) return body;
  const refusal = refusalIn(body) ?? {
    code: "unexpected_answer",
    message: `The answer with status ${status} is not one of Cairn's; check the base URL.`,
  };
  const request_id = headers.get("x-request-id");
  const facts = request_id === null ? refusal : { ...refusal, request_id };
  throw new CairnError({ ...facts, status, retry_after_s: secondsOf(headers.get("retry-after")) });
}

/** Seconds of a Retry-After; the form with a date is not used by the network. */
const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;

/** The innermost reason as the platform names it, such as ECONNREFUSED. It never holds a URL. */
export function reasonOf(error: unknown): string {
  let reason = "";
  for (let at = error; isOpen(at); at = at["cause"])
    if (typeof at["code"] === "string") reason = `: ${at["code"]}`;
  return reason;
}

/** One attempt. Every failure of the connection becomes a CairnError, but an abort stays an abort. */
export async function sendOnce(
  connection: Connection,
  route: Route,
  input: Input,
  options: CallOptions = {},
): Promise<unknown> {
  const { signal = connection.signal, timeout_ms = connection.timeout_ms ?? TIMEOUT_MS } = options;
  const { fetch = globalThis.fetch } = connection;
  const { url, init } = requestOf(connection, route, input);
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  signal?.throwIfAborted();
  const timer = setTimeout(end, timeout_ms);
  signal?.addEventListener("abort", end);
  try {
    return await bodyOf(await fetch(url, { ...init, signal: ending.signal }));
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CairnError) throw cause;
    const [code, message] = ending.signal.aborted
      ? ["timed_out", "No answer came in time."]
      : ["unreachable", `The network cannot be reached${reasonOf(cause)}.`];
    throw new CairnError({ code, message, cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** Seconds to wait before the same call may be sent again; null when it may not. */
function retryAfter_s({ method, path }: Route, input: Input, error: unknown): number | null {
  // Without `after_id` a read of messages marks them as read, so it may have happened.
  const isRead = method === "GET" && (path !== "/dm" || input["after_id"] !== undefined);
  if (!isRead || !(error instanceof CairnError)) return null;
  const isBrief = [429, 503].includes(error.status) || error.code === "unreachable";
  const asked_s = error.retry_after_s ?? RETRY_AFTER_DEFAULT_S;
  return isBrief && asked_s <= RETRY_AFTER_MAX_S ? asked_s : null;
}

/** Sends one operation. Rejects with CairnError, or with the reason of an aborted signal. */
export async function send(
  connection: Connection,
  route: Route,
  input: Input,
  options: CallOptions = {},
): Promise<unknown> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await sendOnce(connection, route, input, options);
    } catch (error) {
      const wait_s = attempts < ATTEMPTS_MAX ? retryAfter_s(route, input, error) : null;
      if (wait_s === null) throw error;
      await pause(wait_s * 1_000, options.signal ?? connection.signal);
    }
  }
}
