import { isOpen } from "./shapes.ts";
import { messageOf } from "./stop.ts";

const TIMEOUT_MS = 60_000;
/** A page of 1,000 entries is far smaller: a longer answer is to another question. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** A read that meets 429 or 503 is tried this often in all. */
const ATTEMPTS_MAX = 3;
/** A service that asks for a longer pause is told of instead. */
const RETRY_AFTER_MAX_S = 30;
const RETRY_AFTER_DEFAULT_S = 1;

/** What a service answered instead of success, or why there was no answer. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** The service's own; empty when the answer is not one of Cairn's. */
  readonly code: string;
  /** Seconds after which the same question may be asked again; null when it may not. */
  readonly wait_s: number | null;

  constructor(message: string, code = "", wait_s: number | null = null) {
    super(message);
    this.code = code;
    this.wait_s = wait_s;
  }
}

/** Asks one public route of a service. Rejects with Refused, or with the reason of the signal. */
export type Ask = (
  path: string,
  query: Readonly<Record<string, string | number>>,
) => Promise<unknown>;

/** Questions to the service at a base URL; the signal ends them. */
export const asking =
  (baseUrl: string, signal?: AbortSignal): Ask =>
  async (path, query) => {
    const url = new URL(`${baseUrl}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(url, signal);
      } catch (error) {
        const wait_s = error instanceof Refused && attempts < ATTEMPTS_MAX ? error.wait_s : null;
        if (wait_s === null) throw error;
        await new Promise((resume) => setTimeout(resume, wait_s * 1_000));
        signal?.throwIfAborted();
      }
    }
  };

/** The text at an address; null when nothing is there. Rejects with Refused. */
export async function textAt(address: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { redirect: "manual", signal });
    const text = await boundedText(response);
    return response.ok ? text : null;
  } catch (error) {
    throw new Refused(`${address} cannot be read. (${innermost(error)})`);
  }
}

async function attempt(url: URL, signal: AbortSignal | undefined): Promise<unknown> {
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
    return bodyOf(response, await boundedText(response));
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

async function boundedText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || value === undefined) return text + decoder.decode();
    bytes += value.length;
    if (bytes > ANSWER_BYTES_MAX) {
      await reader?.cancel();
      throw new Error("the answer has over 64 MiB");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The success body; Refused for everything else that can arrive. */
function bodyOf({ ok, status, headers }: Response, text: string): unknown {
  const body = jsonOf(text);
  if (ok && isOpen(body) && body["ok"] === true) return body;
  const asked = headers.get("retry-after") ?? "";
  const asked_s = /^\d{1,9}$/.test(asked) ? Number(asked) : RETRY_AFTER_DEFAULT_S;
  const isBusy = (status === 429 || status === 503) && asked_s <= RETRY_AFTER_MAX_S;
  const wait_s = isBusy ? asked_s : null;
  const { ok: isSuccess, error, message } = isOpen(body) ? body : {};
  if (isSuccess === false && typeof error === "string" && typeof message === "string")
    throw new Refused(message, error, wait_s);
  const advice = `The answer with status ${status} is not one of Cairn's; check the base URL.`;
  throw new Refused(advice, "", wait_s);
}

/** Undefined for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
