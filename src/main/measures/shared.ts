import { setTimeout } from "node:timers/promises";

/** One look for all who ask while it lasts. */
export function shared<T>(measure: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= measure().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Null when a look fails, or does not answer within this time. */
export async function soon<T>(measure: () => Promise<T> | T, max_ms: number): Promise<T | null> {
  const enough = new AbortController();
  const late = setTimeout(max_ms, null, { signal: enough.signal }).catch(() => null);
  try {
    return await Promise.race([measure(), late]);
  } catch {
    return null;
  } finally {
    enough.abort();
  }
}
