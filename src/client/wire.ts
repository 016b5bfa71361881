import type { contracts } from "../domains/contracts.ts";
import type { Calls } from "../platform/kernel/contract/calls.ts";

// What the package takes from the contracts: `packages/types.ts` writes all of it without zod.

export type { LedgerEntry } from "../domains/entries.ts";
export type { ErrorCode, Problem, Teaching } from "../platform/kernel/contract/errors.ts";

export interface CallOptions {
  /** Ends the call, and the pauses between its attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the connection's. */
  readonly timeout_ms?: number | undefined;
}

/** One method for each operation. */
export type NetworkCalls = Calls<typeof contracts, CallOptions>;

/** A write whose answer was lost, and which was found to have happened: `recovered` says what it made. */
export interface Recovered {
  readonly ok: true;
  readonly recovered: Awaited<ReturnType<NetworkCalls["writes"]["find"]>>["writes"][number];
}

/** The calls of a network; those that write may resolve to a `Recovered`. */
export type Retrying = Calls<typeof contracts, CallOptions, Recovered>;
