import { isParsable } from "../platform/kernel/json-bounds.ts";
import { plain } from "./plain.ts";
import { isOpen } from "./shapes.ts";
import { messageOf, Stop, UNREADABLE } from "./stop.ts";

const TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;
/**
 * The most bytes of an answer, by what it is asked for; a longer one is to another question. Lists end at 1 MiB, and
 * three pages of entries are at hand. A service names few keys.
 */
const ANSWER_BYTES_MAX = {
  "/since": 8 * MIB,
  "/seal": 4 * MIB,
  "/verify": 2 * MIB,
  "/seal/proof": MIB / 16,
} as const;

export type Route = keyof typeof ANSWER_BYTES_MAX;
/** A read that meets 429 or 503 is tried this often in all. */
const ATTEMPTS_MAX = 3;
/** A longer pause is reported as an error instead. */
const RETRY_AFTER_MAX_S = 30;
const RETRY_AFTER_DEFAULT_S = 1;

/** Characters of a message that are repeated. */
const MESSAGE_MAX = 500;

/** What a service answered instead of success, or why there was no answer. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** The service's own; empty when the answer is not one of Cairn's. */
  readonly code: string;
  /** Seconds after which the same question may be asked again; null when it may not. */
  readonly wait_s: number | null;

  constructor(message: string, code = "", wait_s: number | null = null) {
    super(plain(message.slice(0, MESSAGE_MAX)));
    this.code = code;
    this.wait_s = wait_s;
  }
}

/** Asks one public route of a service. Rejects with Refused, or with the reason of the signal. */
export type Ask = (
  path: Route,
  query: Readonly<Record<string, string | number>>,
) => Promise<unknown>;

/** Questions to the service at a base URL; the signal ends them. */
export const asking =
  (baseUrl: string, signal?: AbortSignal): Ask =>
  async (path, query) => {
    const url = new URL(`${baseUrl}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return patiently(() => attempt(url, ANSWER_BYTES_MAX[path], signal), signal);
  };

/** What a service has to keep to, so that a walk over its chain ends. */
interface Pace {
  /** Seals and entries that it shows in each such time at least; a page of 1,000 comes within a minute. */
  readonly window_ms: number;
  readonly records_min: number;
  /** A walk takes so many of them at most. */
  readonly windows_max: number;
}

export const PACE: Pace = { window_ms: 600_000, records_min: 1_000, windows_max: 144 };

/** The same records; a Stop when they come too slowly, or for too long. */
export async function* paced<Each>(
  records: AsyncIterable<Each>,
  { window_ms, records_min, windows_max }: Pace,
): AsyncGenerator<Each> {
  let [windows, count] = [0, 0];
  let isOver = false;
  const timer = setInterval(() => {
    isOver ||= count < records_min || ++windows >= windows_max;
    count = 0;
  }, window_ms);
  try {
    for await (const record of records) {
      if (isOver)
        throw new Stop(
          UNREADABLE,
          "The service shows its chain too slowly: under 1,000 records in ten minutes, or for over a day.",
        );
      count++;
      yield record;
    }
  } finally {
    clearInterval(timer);
  }
}

/** Asks again what met 429 or 503, after the pause that was asked for. */
async function patiently<Answer>(
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await ask();
    } catch (error) {
      const wait_s = error instanceof Refused && attempts < ATTEMPTS_MAX ? error.wait_s : null;
      if (wait_s === null) throw error;
      await new Promise((resume) => setTimeout(resume, wait_s * 1_000));
      signal?.throwIfAborted();
    }
  }
}

/** The text at an address; null when nothing is there. Rejects with Refused. */
export async function textAt(address: string, bytesMax: number): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { redirect: "manual", signal });
    const text = await boundedText(response, bytesMax);
    return response.ok ? text : null;
  } catch (error) {
    const reason = error instanceof Refused ? error.message : innermost(error);
    throw new Refused(`${address} cannot be read. (${reason})`);
  }
}

/** The bytes of a file at an address. Rejects with Refused when they are not there. */
export const bytesAt = (address: string, bytesMax: number): Promise<Uint8Array> =>
  patiently(async () => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(address, { redirect: "manual", signal });
      const chunks = await Array.fromAsync(chunksOf(response, bytesMax));
      if (response.ok) return joined(chunks);
      throw new Refused(`${whatIs(response)}.`, "", pauseOf(response));
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw new Refused(`It cannot be read. (${innermost(error)})`);
    }
  });

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function attempt(
  url: URL,
  bytesMax: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const control = new AbortController();
  const end = () => control.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, TIMEOUT_MS);
  signal?.addEventListener("abort", end, { once: true });
  try {
    signal?.throwIfAborted();
    // A service never redirects.
    const response = await fetch(url, { redirect: "manual", signal: control.signal });
    const text = await boundedText(response, bytesMax);
    if (!isParsable(text, bytesMax))
      throw new Refused("The answer has too many values, or too many levels.");
    return bodyOf(response, text);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Refused) throw error;
    if (isLate) throw new Refused("There was no answer in time.");
    throw new Refused(`The network cannot be reached. (${innermost(error)})`);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

/** The reason behind all others, such as ECONNREFUSED. */
function innermost(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return messageOf(cause);
}

/** A body, which fails beyond so many bytes. */
async function* chunksOf({ body }: Response, bytesMax: number): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  let bytes = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || value === undefined) return;
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader?.cancel();
      throw new Refused(`The answer has over ${bytesMax} bytes.`);
    }
    yield value;
  }
}

async function boundedText(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(response, bytesMax))
    text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The success body; Refused for everything else that can arrive. */
function bodyOf(response: Response, text: string): unknown {
  const { ok } = response;
  const body = jsonOf(text);
  if (ok && isOpen(body) && body["ok"] === true) return body;
  const wait_s = pauseOf(response);
  const { ok: isSuccess, error, message } = isOpen(body) ? body : {};
  if (isSuccess === false && typeof error === "string" && typeof message === "string")
    throw new Refused(message, error, wait_s);
  throw new Refused(`${whatIs(response)} is not one of Cairn's; check the base URL.`, "", wait_s);
}

/** Characters of a header that are repeated. */
const HEADER_MAX = 100;

/** An answer that was not expected: its status, its type, and to where it leads. */
function whatIs({ status, headers }: Response): string {
  const type = headers.get("content-type");
  const place = headers.get("location");
  const more = [
    ...(type === null ? [] : [type.slice(0, HEADER_MAX)]),
    ...(place === null ? [] : [`a redirect to ${place.slice(0, HEADER_MAX)}`]),
  ];
  return `The answer with status ${status}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** Seconds after which the same may be asked again; null when it may not. */
function pauseOf({ status, headers }: Response): number | null {
  const asked = headers.get("retry-after") ?? "";
  const asked_s = /^\d{1,9}$/.test(asked) ? Number(asked) : RETRY_AFTER_DEFAULT_S;
  const isBusy = (status === 429 || status === 503) && asked_s <= RETRY_AFTER_MAX_S;
  return isBusy ? asked_s : null;
}

/** Undefined for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
