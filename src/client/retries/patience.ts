import { CairnError } from "../error.ts";
import { pause } from "./pause.ts";

/** A failure after which the same read is sent again. */
export interface Retry {
  readonly error: CairnError;
  /** How often in a row it has failed, from 1. */
  readonly failures: number;
  readonly wait_ms: number;
}

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** Hears of each failure before the pause that follows it. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 30_000;

/** Whether no answer came, or one that says nothing of the request itself. */
export const isOutage = (error: unknown): boolean =>
  error instanceof CairnError &&
  (["unreachable", "timed_out", "unexpected_answer"].includes(error.code) || error.status >= 500);

/** Whether the same read may be answered later: any other 4xx says that it never will. */
const isBrief = (error: unknown): error is CairnError =>
  error instanceof CairnError &&
  (error.status === 429 || (isOutage(error) && !/^4/.test(String(error.status))));

/** 0.5 to 1, so that clients do not come back all at once. */
const jitter = (): number => 0.5 + (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) / 510;

/**
 * Sends a read until it is answered: after an outage or 429 again, up to 1 s later, then 2 s, up to 30 s, or
 * when the network says. Rejects with every other CairnError, or with the reason of the signal.
 */
export async function persistently<T>(
  read: () => Promise<T>,
  { signal, onRetry }: Patience,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await read();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isBrief(error)) throw error;
      const grown_ms = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** Math.min(failures - 1, 8));
      const asked_ms = Math.min(WAIT_MAX_MS, (error.retry_after_s ?? 0) * 1_000);
      const wait_ms = Math.max(grown_ms * jitter(), asked_ms);
      onRetry?.({ error, failures, wait_ms });
      await pause(wait_ms, signal);
    }
  }
}
