import type { contracts } from "../contracts.ts";
import type { Answer, Calls } from "../kernel/calls.ts";
import type { Operation } from "../kernel/operation.ts";
import { CairnError } from "./error.ts";
import { isOutage, type Patience, persistently } from "./patience.ts";
import { pause } from "./pause.ts";
import type { CallOptions } from "./transport.ts";

type Input = Readonly<Record<string, unknown>>;
type Writes = Answer<typeof contracts.views.writes>;

/** A write whose answer was lost, and which was found to have happened: `recovered` says what it made. */
export interface Recovered {
  readonly ok: true;
  readonly recovered: Writes["writes"][number];
}

/** The calls of a network; those that write may resolve to a `Recovered`. */
export type Retrying = Calls<typeof contracts, CallOptions, Recovered>;

export interface Sending extends Patience {
  /** Sends an operation once. */
  readonly send: (operation: Operation, input: Input) => Promise<unknown>;
  readonly findWrites: FindWrites;
  readonly time: NetworkTime;
}

/** `GET /me/writes` of the caller. */
export type FindWrites = (input: { client_ref?: string; limit: number }) => Promise<Writes>;

/** The network's time, in seconds. */
export interface NetworkTime {
  readonly now: () => Promise<number>;
  /** As it was last heard: later writes need not ask for it, for the network refuses a time that is over. */
  readonly lastHeard: () => Promise<number>;
}

/** Seconds in which a write has to begin. */
const BEGIN_WITHIN_S = 30;
const LOOK_AGAIN_MS = 500;

export function networkTime(findWrites: FindWrites, patience: Patience): NetworkTime {
  let heard: number | null = null;
  const now = async () => {
    const { as_of } = await persistently(() => findWrites({ limit: 1 }), patience);
    heard = as_of;
    return as_of;
  };
  return { now, lastHeard: async () => heard ?? now() };
}

/**
 * Makes sure that a write happens once. When its answer is lost, it asks the network for the write, until that is
 * there or, a minute after `not_after`, can never come: then it sends it again. What the network refused for a while
 * is sent again without a look, for nothing was written.
 */
export async function writeOnce(
  sending: Sending,
  operation: Operation,
  input: Input,
): Promise<unknown> {
  const { time, signal, onRetry } = sending;
  const isMarked = typeof input["client_ref"] === "string";
  const client_ref = isMarked ? String(input["client_ref"]) : newMark();
  const began_at = isMarked ? await time.now() : 0; // The caller may have used its mark before.
  let failures = 0;
  for (let now = await time.lastHeard(); ; now = await time.now()) {
    const not_after = now + BEGIN_WITHIN_S;
    try {
      return await sending.send(operation, { ...input, client_ref, not_after });
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusedForNow(error)) {
        const wait_ms = (error.retry_after_s ?? 0) * 1_000;
        onRetry?.({ error, failures: ++failures, wait_ms });
        await pause(wait_ms, signal);
        continue;
      }
      if (!isOutage(error)) throw error;
    }
    const looked = { client_ref, path: operation.path, began_at, not_after };
    const recovered = await outcomeOf(sending, looked);
    if (recovered !== undefined) return { ok: true, recovered };
  }
}

/** A network that asks for a longer pause is answered to the caller instead. */
const RETRY_AFTER_MAX_S = 30;

/** Whether nothing was written, and the same may be written soon. */
const isRefusedForNow = (error: unknown): error is CairnError =>
  error instanceof CairnError &&
  ["overloaded", "rate_limited", "too_late"].includes(error.code) &&
  (error.retry_after_s ?? 0) <= RETRY_AFTER_MAX_S;

interface Looked {
  readonly client_ref: string;
  readonly path: string;
  readonly began_at: number;
  readonly not_after: number;
}

/** What a write made, or undefined when it will never happen. */
async function outcomeOf(
  sending: Sending,
  { client_ref, path, began_at, not_after }: Looked,
): Promise<Recovered["recovered"] | undefined> {
  for (;;) {
    const look = () => sending.findWrites({ client_ref, limit: 100 });
    const { writes, as_of, settle_s } = await persistently(look, sending);
    const isIt = (write: (typeof writes)[number]) =>
      write.path === path && write.created_at >= began_at;
    const recovered = writes.find(isIt);
    if (recovered !== undefined || as_of > not_after + settle_s) return recovered;
    await pause(LOOK_AGAIN_MS, sending.signal);
  }
}

function newMark(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
