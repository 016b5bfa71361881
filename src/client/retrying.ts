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
  /** `GET /me/writes` of the caller. */
  readonly findWrites: (input: { client_ref?: string; limit: number }) => Promise<Writes>;
}

/** Seconds in which a write has to begin. */
const BEGIN_WITHIN_S = 30;
const LOOK_AGAIN_MS = 500;

/**
 * Makes sure that a write happens once. When its answer is lost, it asks the network for the write, until that is
 * there or, a minute after `not_after`, can never come: then it sends it again. The network's clock counts.
 */
export async function writeOnce(
  sending: Sending,
  operation: Operation,
  input: Input,
): Promise<unknown> {
  const client_ref = typeof input["client_ref"] === "string" ? input["client_ref"] : newMark();
  const { as_of: began_at } = await persistently(() => sending.findWrites({ limit: 1 }), sending);
  for (let now = began_at; ; ) {
    const not_after = now + BEGIN_WITHIN_S;
    try {
      return await sending.send(operation, { ...input, client_ref, not_after });
    } catch (error) {
      sending.signal?.throwIfAborted();
      if (!isLost(error)) throw error;
    }
    const end = await outcomeOf(sending, { client_ref, path: operation.path, began_at, not_after });
    if (end.recovered !== undefined) return { ok: true, recovered: end.recovered };
    now = end.as_of;
  }
}

/** Whether the write may have happened, or was refused for a while. */
const isLost = (error: unknown): boolean =>
  isOutage(error) ||
  (error instanceof CairnError && ["rate_limited", "too_late"].includes(error.code));

interface Looked {
  readonly client_ref: string;
  readonly path: string;
  readonly began_at: number;
  readonly not_after: number;
}

/** The end of a write: it is there, or it will never be. */
async function outcomeOf(
  sending: Sending,
  { client_ref, path, began_at, not_after }: Looked,
): Promise<{ readonly recovered: Recovered["recovered"] | undefined; readonly as_of: number }> {
  for (;;) {
    const look = () => sending.findWrites({ client_ref, limit: 100 });
    const { writes, as_of, settle_s } = await persistently(look, sending);
    const isIt = (write: (typeof writes)[number]) =>
      write.path === path && write.created_at >= began_at;
    const recovered = writes.find(isIt);
    if (recovered !== undefined || as_of > not_after + settle_s) return { recovered, as_of };
    await pause(LOOK_AGAIN_MS, sending.signal);
  }
}

function newMark(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
