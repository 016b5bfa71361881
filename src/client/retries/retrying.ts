import { callsOver, type Route } from "../../platform/kernel/contract/call-table.ts";
import { CairnError } from "../error.ts";
import { type ClientRoute, routes } from "../route-table.ts";
import { type Connection, RETRY_AFTER_MAX_S, send, sendOnce } from "../transport.ts";
import type { CallOptions, NetworkCalls, Recovered } from "../wire.ts";
import { isOutage, type Patience, persistently } from "./patience.ts";
import { pause } from "./pause.ts";

type Input = Readonly<Record<string, unknown>>;
type Writes = Awaited<ReturnType<NetworkCalls["writes"]["find"]>>;

interface Sending extends Patience {
  /** Sends an operation once. */
  readonly send: (route: Route, input: Input) => Promise<unknown>;
  readonly findWrites: FindWrites;
  readonly time: NetworkTime;
}

/** `GET /me/writes` of the caller. */
type FindWrites = (input: { client_ref?: string; limit: number }) => Promise<Writes>;

/** The network's time, in seconds. */
interface NetworkTime {
  readonly now: () => Promise<number>;
  /** As it was last heard: later writes need not ask for it, for the network refuses a time that is over. */
  readonly lastHeard: () => Promise<number>;
}

/** Sends an operation; one that can be looked for happens once. */
export type WriteOnce = (
  route: ClientRoute,
  input: Input,
  options: CallOptions | undefined,
) => Promise<unknown>;

/** The writes of one agent. */
export function writerOf(connection: Connection, patience: Patience): WriteOnce {
  const calls = callsOver<ClientRoute, CallOptions, NetworkCalls>(routes, (route, input, options) =>
    sendOnce(connection, route, input, options),
  );
  const findBy =
    (signal: AbortSignal | undefined): FindWrites =>
    (asked) =>
      calls.writes.find(asked, { signal });
  const time = networkTime(findBy(patience.signal), patience);
  return (route, input, options = {}) => {
    const call = { ...options, signal: options.signal ?? patience.signal };
    if (!route.isTimed) return send(connection, route, input, call);
    const sending = {
      ...patience,
      signal: call.signal,
      send: (...sent: [Route, Input]) => send(connection, ...sent, call),
      findWrites: findBy(call.signal),
      time,
    };
    return writeOnce(sending, route, input);
  };
}

/** Seconds in which a write has to begin. */
const BEGIN_WITHIN_S = 30;
const LOOK_AGAIN_MS = 500;

function networkTime(findWrites: FindWrites, patience: Patience): NetworkTime {
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
async function writeOnce(sending: Sending, route: Route, input: Input): Promise<unknown> {
  const { time, signal, onRetry } = sending;
  const isMarked = typeof input["client_ref"] === "string";
  const client_ref = isMarked ? String(input["client_ref"]) : newMark();
  const began_at = isMarked ? await time.now() : 0; // The caller may have used its mark before.
  let failures = 0;
  for (let now = await time.lastHeard(); ; now = await time.now()) {
    const not_after = now + BEGIN_WITHIN_S;
    try {
      return await sending.send(route, { ...input, client_ref, not_after });
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
    const looked = { client_ref, path: route.path, began_at, not_after };
    const recovered = await outcomeOf(sending, looked);
    if (recovered !== undefined) return { ok: true, recovered };
  }
}

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
    const find = () => sending.findWrites({ client_ref, limit: 100 });
    const { writes, as_of, settle_s } = await persistently(find, sending);
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
