import { reject } from "../../kernel/contract/errors.ts";

/** Requests that one process works on at once; more are answered 503 `overloaded`. */
export const IN_FLIGHT_MAX = 1_024;

/** What bodies that are still arriving may hold together; above it, bodies are answered 503. */
export const ARRIVING_MAX_BYTES = 64 * 1024 * 1024;

/** A place among the requests that are worked on. */
export interface RequestSlot {
  /** Gives it to others. Only the first call does: nobody else's place is ever given away. */
  leave(): void;
}

/** The requests of one process. A request that waits for the ledger, or for the rest of its body, is not counted. */
export interface InFlightLimit {
  /** Whether no further request may be begun. */
  isFull(): boolean;
  /**
   * Takes a place. A reader that has waited goes on without one, so that many who are woken at once
   * refuse nobody; `ledgerSignal` bounds how many there are.
   */
  enter(): RequestSlot;
  /** Counts the caller out while it waits for something, and in again. */
  suspend<T>(waiting: () => Promise<T>): Promise<T>;
  /** Rejects with `overloaded` when more came in again than there are places. */
  refuseExcess(): void;
  /** Holds bytes of a body that is arriving. Rejects with `overloaded` when there are too many. */
  hold(bytes: number): void;
  release(bytes: number): void;
}

export function inFlightLimit(): InFlightLimit {
  let inFlight = 0;
  let arriving_bytes = 0;
  return {
    isFull: () => inFlight >= IN_FLIGHT_MAX,
    enter() {
      let isMine = true;
      inFlight++;
      return {
        leave() {
          if (isMine) inFlight--;
          isMine = false;
        },
      };
    },
    async suspend(waiting) {
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
