import type { Arrivals } from "../context.ts";
import { reject } from "../kernel/errors.ts";

/** Answers that may be held at once (http-and-security: guards). */
const WAITING_READS_MAX = 2_000;

/** How soon an entry of another process is noticed. */
const LOOK_INTERVAL_MS = 200;

interface Waiter {
  readonly after_id: number;
  readonly end: (arrived: boolean) => void;
}

/** The readers that wait for the ledger to grow, and how they are woken. */
export interface WaitingReads extends Arrivals {
  /** Wakes whoever waits for an entry up to `last_id`. Cheap when nobody waits. */
  wake(last_id: number): void;
  waiting(): number;
  /** Answers everybody at once; from here on nobody waits. */
  close(): void;
}

/** `lastId` is asked a few times a second while somebody waits: other processes append too. */
export function waitingReads(lastId: () => Promise<number>): WaitingReads {
  const waiters = new Set<Waiter>();
  let closed = false;
  let isLooking = false;

  function wake(last_id: number): void {
    for (const waiter of waiters) if (waiter.after_id < last_id) waiter.end(true);
  }

  async function look(): Promise<void> {
    try {
      wake(await lastId());
    } catch {
      // The storage is away for a moment; those who wait learn of it when they ask again.
    }
    isLooking = false;
    if (waiters.size > 0) lookSoon();
  }

  function lookSoon(): void {
    if (isLooking) return;
    isLooking = true;
    setTimeout(look, LOOK_INTERVAL_MS);
  }

  return {
    wake,
    waiting: () => waiters.size,
    after(after_id, wait_s) {
      if (closed) return Promise.resolve(false);
      if (waiters.size >= WAITING_READS_MAX) {
        reject(
          "overloaded",
          "Too many readers are waiting. Ask without wait, or again in a second.",
        );
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => waiter.end(false), wait_s * 1_000);
        const waiter: Waiter = {
          after_id,
          end(arrived) {
            clearTimeout(timer);
            waiters.delete(waiter);
            resolve(arrived);
          },
        };
        waiters.add(waiter);
        lookSoon();
      });
    },
    close() {
      closed = true;
      for (const waiter of waiters) waiter.end(false);
    },
  };
}
