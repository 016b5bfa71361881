import type { Agent } from "../../platform/context.ts";
import { Rejection, reject } from "../../platform/kernel/contract/errors.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import { type Claim, fairPool } from "../../platform/kernel/pools/fair-pool.ts";
import { sharesOf } from "../incoming/sharing.ts";

/** Requests that one process works on at once; more are answered 503 `overloaded`. */
export const IN_FLIGHT_MAX = 1_024;

/** The buffers of bodies that are still arriving, together; above it, the client with most gets 503. */
export const ARRIVING_MAX_BYTES = 64 * 1024 * 1024;
/** Of one agent, and of one network; more are answered 503. */
export const ARRIVING_PER_AGENT_BYTES = ARRIVING_MAX_BYTES / 4;
export const ARRIVING_PER_NETWORK_BYTES = ARRIVING_MAX_BYTES / 2;

/** The sender of a body; the connection stands for a client that is not known otherwise. */
export interface Uploader {
  readonly agent: Agent | null;
  readonly sender: Sender | null;
  readonly connection: object;
}

/** The memory of one body that is arriving. */
interface Upload {
  /** Takes bytes. Throws `overloaded` when the client's share is used up, or when it holds most in a full pool. */
  hold(bytes: number): void;
  release(): void;
}

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
  /** `giveUp` ends the upload when it must make room for a client that holds less. */
  upload(uploader: Uploader, giveUp: (error: Rejection) => void): Upload;
}

export function inFlightLimit(): InFlightLimit {
  let inFlight = 0;
  const arriving = fairPool(ARRIVING_MAX_BYTES);
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
    upload({ agent, sender, connection }, giveUp) {
      const shares = sharesOf(
        { agent: agent?.agent_id, sender, connection },
        { agent: ARRIVING_PER_AGENT_BYTES, network: ARRIVING_PER_NETWORK_BYTES },
      );
      const claim: Claim = arriving.claim(shares, () => giveUp(TOO_MUCH_ARRIVING));
      return {
        hold(bytes) {
          if (!claim.grow(bytes)) throw TOO_MUCH_ARRIVING;
        },
        release: claim.leave,
      };
    },
  };
}

const TOO_MUCH_ARRIVING = new Rejection(
  "overloaded",
  "Too many bodies are on their way. Send this one again in a second.",
);
