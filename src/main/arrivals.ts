import type { Arrivals } from "../context.ts";
import { reject } from "../kernel/errors.ts";

/** Answers that may be held at once. */
export const WAITING_READS_MAX = 2_000;

/** How soon an entry of another process is noticed. */
const LOOK_INTERVAL_MS = 200;

interface Waiter {
  readonly after_id: number;
  readonly end: (arrived: boolean) => void;
}

/** The readers that wait for the ledger to grow, and how they are woken. */
export interface WaitingReads extends Arrivals {
  /** New entries can be read: wakes whoever waits for them. Costs nothing when nobody waits. */
  look(): void;
  waiting(): number;
  /** Answers everybody at once; from here on nobody waits. */
  close(): void;
}

/** `lastId` is asked a few times a second while somebody waits: other processes append too. */
export function waitingReads(lastId: () => Promise<number>): WaitingReads {
  const waiters = new Set<Waiter>();
  let closed = false;
  let isPolling = false;

  async function wakeArrived(): Promise<void> {
    try {
      const last_id = await lastId();
      for (const waiter of waiters) if (waiter.after_id < last_id) waiter.end(true);
    } catch {
      // The storage is away for a moment; those who wait learn of it when they ask again.
    }
  }

  async function poll(): Promise<void> {
    await wakeArrived();
    isPolling = false;
    if (waiters.size > 0) pollSoon();
  }

  function pollSoon(): void {
    if (isPolling) return;
    isPolling = true;
    setTimeout(poll, LOOK_INTERVAL_MS);
  }

  return {
    look() {
      if (waiters.size > 0) void wakeArrived();
    },
    waiting: () => waiters.size,
    after(after_id, wait_s, whenGone) {
      if (closed) return Promise.resolve(false);
      if (waiters.size >= WAITING_READS_MAX) {
        reject(
          "overloaded",
          "Too many readers are waiting. Ask without wait, or again in a second.",
        );
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiter.end(false), wait_s * 1_000);
        const stay = whenGone?.(() => waiter.end(false));
        const waiter: Waiter = {
          after_id,
          end(arrived) {
            clearTimeout(timer);
            stay?.();
            waiters.delete(waiter);
            resolve(arrived);
          },
        };
        waiters.add(waiter);
        pollSoon();
      });
    },
    close() {
      closed = true;
      for (const waiter of waiters) waiter.end(false);
    },
  };
}
