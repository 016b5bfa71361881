import { setTimeout as pause } from "node:timers/promises";
import { CairnError } from "../../../../client/error.ts";
import { type Connection, send } from "../../../../client/transport.ts";
import type { Operation } from "../../../../platform/kernel/contract/operation.ts";
import { Stop, UNREADABLE } from "../../../command/stop.ts";
import { isShown, type Shown } from "../lists.ts";

/** An answer, or the code with which the service refused. */
export interface Answered {
  readonly body: Shown;
  readonly bytes: number;
}

/** Requests at a time. */
const AT_ONCE = 4;

/** An audit uses this part of the rate limit that `GET /limits` reports. */
const PART_OF_LIMIT = 0.8;
const MINUTE_MS = 60_000;

/** How often a service is asked again that asks for a pause, and for how long it may ask. */
const TRIES_MAX = 20;
const PAUSE_MAX_S = 900;
const PAUSE_DEFAULT_S = 1;

/** Reads a service no faster than it allows, and waits as long as it asks for. */
export function readerOf(
  connection: Connection,
  { perMinute, agent_id }: { readonly perMinute: number | null; readonly agent_id: string | null },
) {
  const every_ms = perMinute === null ? 0 : MINUTE_MS / (perMinute * PART_OF_LIMIT);
  let next_ms = 0;
  let requests = 0;

  async function turn(): Promise<void> {
    requests++;
    if (every_ms === 0) return;
    const now_ms = performance.now();
    const wait_ms = next_ms - now_ms;
    next_ms = Math.max(next_ms, now_ms) + every_ms;
    if (wait_ms > 0) await pause(wait_ms);
  }

  async function call(operation: Operation, asked: Shown): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      await turn();
      try {
        return await send(connection, operation, asked);
      } catch (error) {
        const wait_s = pauseFor(error);
        if (wait_s === null || tries === TRIES_MAX) throw error;
        await pause(wait_s * 1_000);
      }
    }
  }

  return {
    address: connection.baseUrl,
    /** Whose token it has, if anybody's. */
    agent_id,
    turn,
    /** The answer; a refusal is one whose only field is its code. A Stop when there is none. */
    async read(operation: Operation, asked: Shown): Promise<Answered> {
      try {
        const body = await call(operation, asked);
        if (isShown(body)) {
          const { ok: _, hints: __, ...fields } = body;
          return { body: fields, bytes: JSON.stringify(body).length };
        }
        throw new Stop(UNREADABLE, `GET ${operation.path}: The answer is no JSON object.`);
      } catch (error) {
        if (!(error instanceof CairnError)) throw error;
        const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 429;
        if (isRefusal) return { body: { [REFUSED]: error.code }, bytes: 0 };
        throw new Stop(UNREADABLE, `GET ${operation.path}: ${error.message}`, error);
      }
    },
    /** How many requests were sent. */
    requests: () => requests,
  };
}

export type Reader = ReturnType<typeof readerOf>;

/** The field of an answer that is a refusal. */
export const REFUSED = "refused with";

function pauseFor(error: unknown): number | null {
  if (!(error instanceof CairnError) || (error.status !== 429 && error.status !== 503)) return null;
  const asked_s = error.retry_after_s ?? PAUSE_DEFAULT_S;
  return asked_s <= PAUSE_MAX_S ? asked_s : null;
}

/** Works through items, a few at a time, in their order. */
export async function eachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>) {
  const left = Iterator.from(items);
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
