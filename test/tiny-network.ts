import type { AddressInfo } from "node:net";
import type { Agent, Context, ServiceContext } from "../src/platform/context.ts";
import { LOOPBACK } from "../src/platform/kernel/address.ts";
import { reject } from "../src/platform/kernel/contract/errors.ts";
import type { Handlers, Sender } from "../src/platform/kernel/contract/operation.ts";
import type { Connections } from "../src/surfaces/connections/connections.ts";
import { PIPELINE, type PipelineBounds } from "../src/surfaces/connections/pipeline.ts";
import { ROOM, type Room, type RoomBounds, roomOf } from "../src/surfaces/connections/room.ts";
import {
  UNSENT,
  type Unsent,
  type UnsentBounds,
  unsentOf,
} from "../src/surfaces/connections/unsent.ts";
import { READ_SLOTS, readLimiter } from "../src/surfaces/dispatch/read-limiter.ts";
import { bind, registryOf } from "../src/surfaces/dispatch/registry.ts";
import { createListener } from "../src/surfaces/http.ts";
import { streamSlots } from "../src/surfaces/live/slots.ts";
import { publicReads } from "../src/surfaces/routing/public-reads.ts";
import { httpServer, TIMEOUTS, type Timeouts } from "../src/surfaces/server.ts";
import {
  type Answered,
  answersOf,
  type Observer,
  publicHeaders,
} from "../src/surfaces/wire/answer.ts";
import type { Callers } from "../src/surfaces/wire/bearer.ts";
import { inFlightLimit } from "../src/surfaces/wire/in-flight-limit.ts";
import { originsOf } from "../src/surfaces/wire/origins.ts";
import { sendersOf } from "../src/surfaces/wire/sender.ts";
import { limited } from "./rate-limit.ts";
import { tiny } from "./tiny-contract.ts";

export const TOKEN = `sk_${"a".repeat(48)}`;
export const BANNED = `sk_${"b".repeat(48)}`;
const LARGE_LENGTH = 24 * 1024 * 1024;

export interface TinyOptions {
  readonly baseUrl?: string;
  readonly edgeRule?: "on" | "off";
  readonly perMinute?: number;
  readonly timeouts?: Partial<Timeouts>;
  readonly pipeline?: Partial<PipelineBounds>;
  readonly unsent?: Partial<UnsentBounds>;
  readonly room?: Partial<RoomBounds>;
  /** Of a new connection; default: unknown. */
  readonly sender?: () => Sender | null;
  readonly now_ms?: () => number;
  /** Looks on as well. */
  readonly observer?: Pick<Observer, "answered" | "failed">;
}

/** A running service of that contract: real sockets around handlers that store nothing. */
export interface Tiny {
  readonly port: number;
  readonly url: string;
  /** What handlers were called, in order. */
  readonly calls: string[];
  readonly answered: Answered[];
  readonly failures: unknown[];
  readonly seen: string[];
  /** Makes every public answer anew. */
  change(): void;
  /** Handlers wait while it is shut. */
  readonly gate: Latch;
  /** `GET /wait` waits while it is shut. */
  readonly arrivals: Latch;
  /** How many do. */
  waiting(): number;
  /** Whether as many requests are worked on as may be. */
  isFull(): boolean;
  readonly connections: Connections;
  /** Looked at only when a test does. */
  readonly unsent: Unsent;
  readonly room: Room;
  /** When a connection was closed for what was unsent. */
  readonly closedSlow: readonly number[];
  close(): Promise<void>;
}

/** Open at first. */
interface Latch {
  shut(): void;
  open(): void;
  passed(): Promise<void>;
}

function latch(): Latch {
  let waiting = Promise.withResolvers<void>();
  waiting.resolve();
  return {
    shut: () => {
      waiting = Promise.withResolvers();
    },
    open: () => waiting.resolve(),
    passed: () => waiting.promise,
  };
}

/** Readers that wait for the ledger until the latch is open, and then hear of nothing new. */
function readersAt(arrivals: Latch) {
  let waiting = 0;
  return {
    waiting: () => waiting,
    async waitForEntry(): Promise<boolean> {
      waiting++;
      await arrivals.passed();
      waiting--;
      return false;
    },
  };
}

function handlersOf(calls: string[], gate: Latch): Handlers<typeof tiny, Context, Agent> {
  const pass = async <T>(call: string, value: T): Promise<T> => {
    calls.push(call);
    await gate.passed();
    return value;
  };
  return {
    list: (_, { tag = null }) => pass("list", { made: calls.length, tag }),
    async item(_, { name }) {
      await pass("item", null);
      return name === "none" ? reject("post_not_found", "There is no such item.") : { name };
    },
    about: () => pass("about", { text: "About." }),
    fresh: () => pass("fresh", { made: calls.length }),
    large: () => pass("large", { text: "x".repeat(LARGE_LENGTH) }),
    wait: async ({ ledgerSignal: from }) => {
      await from.waitForEntry({ after_id: 0 }, 1);
      return pass("wait", {});
    },
    me: ({ agent }) => pass("me", { agent_id: agent.agent_id }),
    view: ({ agent }) => pass("view", { agent_id: agent?.agent_id ?? null }),
    add: (_, { body }) => pass("add", { id: 1, body }),
    open: (_, { body = null }) => pass("open", { body }),
    broken: () => Promise.reject(new Error("the cause")),
  };
}

const callersAt = (gate: Latch, seen: string[]): Callers => ({
  async authenticate(token) {
    await gate.passed();
    if (token === BANNED) reject("agent_banned", "This agent is banned.");
    if (token !== TOKEN) reject("token_unknown", "No agent has this token.");
    return { id: 1, agent_id: "ag_tiny", handle: null };
  },
  remembered: () => undefined,
  refused() {},
  seen: ({ agent_id }) => void seen.push(agent_id),
});

/** One token is live, and nobody is charged. */
const UNGUARDED = {
  anyLiveToken: async (tokens: readonly string[]) => tokens.includes(TOKEN),
  charge: () => () => {},
};

/** The connections of the service, and what bounds them. */
function boundedBy(options: TinyOptions, now_ms: () => number) {
  const connections: Connections = new Map();
  const closedSlow: number[] = [];
  const unsent = unsentOf(connections, {
    bounds: { ...UNSENT, ...options.unsent },
    now_ms,
    holderOf: ({ socket }) => connections.get(socket)?.holder ?? socket,
    closed: () => closedSlow.push(now_ms()),
  });
  const room = roomOf(connections, {
    bounds: { ...ROOM, ...options.room },
    now_ms,
    senderOf: options.sender ?? (() => null),
    refused() {},
  });
  return { connections, closedSlow, unsent, room };
}

export async function openTiny(options: TinyOptions = {}): Promise<Tiny> {
  const calls: string[] = [];
  const answered: Answered[] = [];
  const failures: unknown[] = [];
  const seen: string[] = [];
  const gate = latch();
  const arrivals = latch();
  let generation = 1;
  const now_ms = options.now_ms ?? (() => performance.now());
  const { connections, closedSlow, unsent, room } = boundedBy(options, now_ms);
  const answers = answersOf({
    wording: (sentence) => sentence,
    common: publicHeaders(options.baseUrl ?? "http://tiny.test"),
    process_id: "0123abcd",
    unsent,
    room,
    observer: {
      now_ms,
      answered(answer) {
        answered.push(answer);
        options.observer?.answered(answer);
      },
      failed(answer, cause) {
        failures.push(cause);
        options.observer?.failed(answer, cause);
      },
    },
  });
  const readers = readersAt(arrivals);
  const random = (n: number) => new Uint8Array(n);
  const inFlight = inFlightLimit();
  const dispatcher = {
    context: { ledgerSignal: readers, clock: { now: () => 0 } } as unknown as ServiceContext,
    ...UNGUARDED,
    reads: readLimiter(READ_SLOTS),
  };
  const listener = createListener({
    registry: registryOf(bind({ tiny }, { tiny: handlersOf(calls, gate) })),
    gates: [],
    documents: [{ path: "/", contentType: "text/plain", maxAge_s: 300, answer: () => "Hello." }],
    answers,
    inFlight,
    slots: streamSlots(now_ms),
    dispatcher,
    readPublic: publicReads({
      dispatcher,
      answers,
      now: { generation: () => generation, second: () => 0 },
    }),
    callers: callersAt(gate, seen),
    edgeRule: options.edgeRule ?? "on",
    rateLimit: options.perMinute ? limited(options.perMinute, now_ms).rateLimit : null,
    origins: originsOf("https://tiny.test"),
    baseUrl: "https://tiny.test",
    senders: sendersOf({ trusted: LOOPBACK, now_ms, random, untrusted() {} }),
  });
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const pipeline = { ...PIPELINE, ...options.pipeline };
  const server = httpServer({ listener, answers, connections, room, timeouts, pipeline, sleep });
  const { port } = (await server.listen(0, "127.0.0.1")) as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    calls,
    answered,
    failures,
    seen,
    change: () => generation++,
    gate,
    arrivals,
    waiting: readers.waiting,
    isFull: inFlight.isFull,
    connections,
    unsent,
    room,
    closedSlow,
    close: server.close,
  };
}
