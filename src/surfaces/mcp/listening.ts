import {
  createMcpHandler,
  type McpServerFactory,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { concernsOf } from "../../domains/inbox/newest.ts";
import type { Agent } from "../../platform/context.ts";
import type { Sender, Waiter } from "../../platform/kernel/contract/operation.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import type { Dispatcher } from "../dispatch/invoke.ts";
import type { StreamSlots } from "../live/slots.ts";
import { STREAM_LIFE_MS } from "../live/stream.ts";
import type { Answers, Exchange } from "../wire/answer.ts";
import { inboxUri, SINCE_URI } from "./resources.ts";

export interface ListeningParts {
  readonly answers: Answers;
  readonly dispatcher: Dispatcher;
  readonly slots: StreamSlots;
}

/** Who listens, and on which connection. */
export interface Listener {
  readonly agent: Agent;
  readonly sender: Sender | null;
  readonly exchange: Exchange;
  readonly waiter: Waiter;
  /** Rejects once its token is no longer valid. */
  readonly check: () => Promise<unknown>;
}

/** The shortest time between two updates of a resource; the next position covers what happens meanwhile. */
const TOLD_EVERY_MS = 200;
/** How often a silent stream says that it is alive. */
const ALIVE_EVERY_MS = 15_000;
const INVALID_PARAMS = -32_602;

const asked = z.looseObject({
  method: z.literal("subscriptions/listen"),
  id: z.union([z.string(), z.number()]),
  params: z.looseObject({
    notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()) }),
  }),
});

/** A resource with news. */
interface Source {
  readonly uri: string;
  /** Up to where there is something to read now. */
  position(): Promise<{ readonly after_id: number; readonly after_message_id?: number }>;
  /** False when the stream must end. */
  wait(): Promise<boolean>;
}

/** What an agent can listen to: all that happens, and its own inbox. */
function sourcesOf({ context }: Dispatcher, { agent, waiter }: Listener): readonly Source[] {
  const { ledgerSignal, read } = context;
  const wait_s = STREAM_LIFE_MS / 1_000;
  let head_id = 0;
  let seen = { agent: agent.id, after_id: 0, after_message_id: 0 };
  return [
    {
      uri: SINCE_URI,
      async position() {
        head_id = (await ledgerHead.first(read, {}))?.last_id ?? 0;
        return { after_id: head_id };
      },
      wait: () => ledgerSignal.waitForEntry({ after_id: head_id }, wait_s, waiter),
    },
    {
      uri: inboxUri(agent.agent_id),
      async position() {
        seen = await concernsOf(read, agent);
        return { after_id: seen.after_id, after_message_id: seen.after_message_id };
      },
      wait: () => ledgerSignal.waitForConcern(seen, wait_s, waiter),
    },
  ];
}

type Tell = Parameters<ServerEventBus["subscribe"]>[0];

interface Following {
  readonly sources: readonly Source[];
  readonly listener: Listener;
  readonly close: () => void;
}

/**
 * Tells each source's position now, and again whenever it has moved, until the stream ends. What it returns
 * ends it. A slow reader gets only the newest position.
 */
function follow({ answers, slots }: ListeningParts, following: Following, tell: Tell): () => void {
  const { sources, listener, close } = following;
  const { res } = listener.exchange;
  const ends_ms = slots.now_ms() + STREAM_LIFE_MS;
  const turns = new Map<() => void, number>();
  let isOver = false;

  const stay = slots.watch({
    poll(now_ms) {
      if (answers.draining() || res.destroyed || now_ms >= ends_ms) return close();
      if (res.writableNeedDrain) return;
      for (const [come, due_ms] of turns) if (now_ms >= due_ms) come();
    },
  });

  async function turn(due_ms: number): Promise<void> {
    if (isOver || (!res.writableNeedDrain && slots.now_ms() >= due_ms)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    turns.set(resolve, due_ms);
    await promise;
    turns.delete(resolve);
  }

  async function tellOf({ uri, position, wait }: Source): Promise<void> {
    while (!isOver) {
      await listener.check();
      const _meta = await position();
      if (isOver) return;
      tell({ kind: "resource_updated", uri, params: { _meta } });
      const due_ms = slots.now_ms() + TOLD_EVERY_MS;
      if (!(await wait())) return;
      await turn(due_ms);
    }
  }

  for (const source of sources)
    void tellOf(source)
      .catch((error) => answers.heardOf(listener.exchange, error))
      .then(close);
  return () => {
    isOver = true;
    stay();
    for (const come of turns.keys()) come();
  };
}

/** Where a request to listen is served; `factory` makes the server of the same request. */
interface Asking {
  readonly listener: Listener;
  readonly factory: McpServerFactory;
}

/**
 * Serves `subscriptions/listen` of the current revision. The SDK speaks; what happened, and when a stream
 * ends, is as for other streams: waits of the agent, slots, 15 minutes, no more than a slow reader reads.
 */
export function listening(parts: ListeningParts) {
  /** Null when `body` is something else. Rejects with 503 `overloaded`. */
  return async (body: unknown, request: Request, { listener, factory }: Asking) => {
    const { data } = asked.safeParse(body);
    if (data === undefined) return null;
    const uris = new Set(data.params.notifications.resourceSubscriptions);
    const known = sourcesOf(parts.dispatcher, listener);
    const sources = known.filter(({ uri }) => uris.has(uri));
    if (sources.length < uris.size)
      return refusal(data.id, `You can listen to ${known.map(({ uri }) => uri).join(" and ")}.`);
    const leave = parts.slots.take(listener, () => void handler?.close());
    let isOpen = false;
    let handler: ReturnType<typeof createMcpHandler> | null = null;
    const bus: ServerEventBus = {
      publish() {},
      subscribe(tell) {
        isOpen = true;
        listener.waiter.leaveSlot();
        const close = () => void handler?.close();
        const stop = follow(parts, { sources, listener, close }, tell);
        return () => {
          stop();
          leave();
        };
      },
    };
    const options = { legacy: "reject", keepAliveMs: ALIVE_EVERY_MS, bus } as const;
    handler = createMcpHandler(factory, options);
    const response = await handler.fetch(request, { parsedBody: body });
    if (!isOpen) leave(); // The SDK has refused it, or nothing can follow.
    return response;
  };
}

const refusal = (id: string | number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message } });
