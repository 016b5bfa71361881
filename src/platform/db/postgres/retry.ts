import { isConflict, overloaded } from "./errors.ts";

/** Between two attempts of a transaction that loses to others: longer each time. */
const CONFLICT_PAUSE_MIN_MS = 2;
const CONFLICT_PAUSE_MAX_MS = 32;

/** Runs a transaction again while it loses to others. Rejects with 503 `overloaded` if that lasts so long. */
export async function untilItWins<T>(attempt: () => Promise<T>, patience_ms: number): Promise<T> {
  const patience = performance.now() + patience_ms;
  for (let pause_ms = CONFLICT_PAUSE_MIN_MS; ; pause_ms *= 2) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (performance.now() > patience) throw overloaded();
    }
    // Writes that met here meet again after equal pauses; the clock's microseconds differ enough.
    await pause((performance.now() * 1000) % Math.min(pause_ms, CONFLICT_PAUSE_MAX_MS));
  }
}

const pause = (wait_ms: number) => new Promise((resolve) => setTimeout(resolve, wait_ms));
