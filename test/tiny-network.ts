import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Agent, Context } from "../src/context.ts";
import { reject } from "../src/kernel/errors.ts";
import { type Handlers, operation } from "../src/kernel/operation.ts";
import { type Answered, answersOf, type Observer, publicHeaders } from "../src/surfaces/answer.ts";
import { countingWaits, crowdOf } from "../src/surfaces/crowd.ts";
import { createListener } from "../src/surfaces/http.ts";
import { PLACES, readsIn } from "../src/surfaces/places.ts";
import { publicReads } from "../src/surfaces/public-reads.ts";
import { rateLimitOf } from "../src/surfaces/rate-limit.ts";
import { bind, registryOf } from "../src/surfaces/registry.ts";
import { httpServer, TIMEOUTS, type Timeouts } from "../src/surfaces/server.ts";

export const TOKEN = `sk_${"a".repeat(48)}`;
export const BANNED = `sk_${"b".repeat(48)}`;
export const SMALL_MAX_BYTES = 200;

const summary = "An operation of the tests.";

/** One operation for each way in which the surfaces treat operations. */
const tiny = {
  list: operation({
    method: "GET",
    path: "/items",
    auth: "none",
    summary,
    input: z.object({
      limit: z.coerce.number().int().max(100).optional(),
      tag: z.string().optional(),
    }),
    output: z.object({ made: z.int(), tag: z.string().nullable() }),
    errors: [],
  }),
  item: operation({
    method: "GET",
    path: "/item/{name}",
    auth: "none",
    summary,
    input: z.object({ name: z.string() }),
    output: z.object({ name: z.string() }),
    errors: ["post_not_found"],
  }),
  about: operation({
    method: "GET",
    path: "/about",
    auth: "none",
    maxAge_s: 60,
    summary,
    input: z.object({}),
    output: z.object({ text: z.string() }),
    errors: [],
  }),
  /** Made anew each time, once the gate is open. */
  fresh: operation({
    method: "GET",
    path: "/fresh",
    auth: "none",
    uncached: true,
    summary,
    input: z.object({}),
    output: z.object({ made: z.int() }),
    errors: [],
  }),
  wait: operation({
    method: "GET",
    path: "/wait",
    auth: "none",
    uncached: true,
    summary,
    input: z.object({}),
    output: z.object({}),
    errors: [],
  }),
  me: operation({
    method: "GET",
    path: "/me",
    auth: "required",
    summary,
    input: z.object({}),
    output: z.object({ agent_id: z.string() }),
    errors: [],
  }),
  view: operation({
    method: "GET",
    path: "/view",
    auth: "optional",
    summary,
    input: z.object({}),
    output: z.object({ agent_id: z.string().nullable() }),
    errors: [],
  }),
  add: operation({
    method: "POST",
    path: "/items",
    auth: "required",
    status: 201,
    summary,
    input: z.object({ body: z.string().min(1), tags: z.array(z.string()).optional() }),
    output: z.object({ id: z.int(), body: z.string() }),
    errors: [],
  }),
  /** Takes a body without a token, and only a small one. */
  open: operation({
    method: "POST",
    path: "/open",
    auth: "none",
    bodyMax_bytes: SMALL_MAX_BYTES,
    summary,
    input: z.object({ body: z.string().optional() }),
    output: z.object({ body: z.string().nullable() }),
    errors: [],
  }),
  broken: operation({
    method: "POST",
    path: "/broken",
    auth: "none",
    summary,
    input: z.object({}),
    output: z.object({}),
    errors: [],
  }),
};

export interface TinyOptions {
  readonly baseUrl?: string;
  readonly edgeRule?: "on" | "off";
  readonly perMinute?: number;
  readonly timeouts?: Partial<Timeouts>;
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
    wait: async ({ arrivals: from }) => {
      await from.after(0, 1);
      return {};
    },
    me: ({ agent }) => pass("me", { agent_id: agent.agent_id }),
    view: ({ agent }) => pass("view", { agent_id: agent?.agent_id ?? null }),
    add: (_, { body }) => pass("add", { id: 1, body }),
    open: (_, { body = null }) => pass("open", { body }),
    broken: () => Promise.reject(new Error("the cause")),
  };
}

export async function openTiny(options: TinyOptions = {}): Promise<Tiny> {
  const calls: string[] = [];
  const answered: Answered[] = [];
  const failures: unknown[] = [];
  const seen: string[] = [];
  const gate = latch();
  const arrivals = latch();
  let generation = 1;
  const now_ms = () => performance.now();
  const answers = answersOf({
    common: publicHeaders(options.baseUrl ?? "http://tiny.test"),
    process_id: "0123abcd",
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
  const after = async () => {
    await arrivals.passed();
    return false;
  };
  const random = (n: number) => new Uint8Array(n);
  const crowd = crowdOf();
  const bare = {
    context: { arrivals: { after } } as unknown as Context,
    isLiveToken: async (token: string) => token === TOKEN,
    reads: readsIn(PLACES),
  };
  const road = countingWaits(bare, crowd);
  const listener = createListener({
    registry: registryOf(bind("tiny", tiny, handlersOf(calls, gate))),
    gates: [],
    documents: [{ path: "/", contentType: "text/plain", maxAge_s: 300, answer: () => "Hello." }],
    answers,
    crowd,
    road,
    readPublic: publicReads({
      road,
      answers,
      now: { generation: () => generation, second: () => 0 },
    }),
    callers: {
      authenticate: async (token) => {
        await gate.passed();
        if (token === BANNED) reject("agent_banned", "This agent is banned.");
        if (token !== TOKEN) reject("token_unknown", "No agent has this token.");
        return { id: 1, agent_id: "ag_tiny", handle: null };
      },
      seen: ({ agent_id }) => seen.push(agent_id),
    },
    edgeRule: options.edgeRule ?? "on",
    rateLimit: options.perMinute
      ? rateLimitOf({ perMinute: options.perMinute, now_ms, random })
      : null,
  });
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = httpServer({ listener, answers, timeouts, sleep });
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
    close: server.close,
  };
}
