/** An empty page that was not held back (a network at its limits) must not become a busy loop. */
export const EMPTY_PAUSE_MS = 250;

/** Resolves after `wait_ms`; rejects with the signal's reason when it aborts first. */
export function pause(wait_ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, wait_ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
