import type { Arrivals } from "../context.ts";
import { reject } from "../kernel/errors.ts";
import type { Road } from "./invoke.ts";

/** Requests that one process works on at once; more are answered 503 `overloaded`. */
export const IN_FLIGHT_MAX = 1_024;

/** What bodies that are still arriving may hold together; whoever sends more is answered 503. */
export const ARRIVING_MAX_BYTES = 64 * 1024 * 1024;

/** What one process has in hand. Who waits, for the ledger or for the rest of a body, is not worked on. */
export interface Crowd {
  /** Whether no further request may be begun. */
  isFull(): boolean;
  /** Counts `work` until it ends. */
  inside(work: Promise<void>): Promise<void>;
  /** Counts the caller out while it waits for something, and in again. */
  outside<T>(waiting: () => Promise<T>): Promise<T>;
  /** Rejects with `overloaded` when more came in again than there are places. */
  refuseExcess(): void;
  /** Holds bytes of a body that is arriving. Rejects with `overloaded` when there are too many. */
  hold(bytes: number): void;
  release(bytes: number): void;
}

export function crowdOf(): Crowd {
  let inFlight = 0;
  let arriving_bytes = 0;
  return {
    isFull: () => inFlight >= IN_FLIGHT_MAX,
    async inside(work) {
      inFlight++;
      await work;
      inFlight--;
    },
    async outside(waiting) {
      inFlight--;
      try {
        return await waiting();
      } finally {
        inFlight++;
      }
    },
    refuseExcess() {
      if (inFlight > IN_FLIGHT_MAX)
        reject("overloaded", "The service is busy. Send this again in a second.");
    },
    hold(bytes) {
      arriving_bytes += bytes;
      if (arriving_bytes > ARRIVING_MAX_BYTES)
        reject("overloaded", "Too many bodies are on their way. Send this one again in a second.");
    },
    release(bytes) {
      arriving_bytes -= bytes;
    },
  };
}

/** A reader that waits for the ledger does no work; `arrivals` itself bounds how many there are. */
export function countingWaits(road: Road, crowd: Crowd): Road {
  const { arrivals } = road.context;
  const after: Arrivals["after"] = (...reader) => crowd.outside(() => arrivals.after(...reader));
  return { ...road, context: { ...road.context, arrivals: { ...arrivals, after } } };
}
