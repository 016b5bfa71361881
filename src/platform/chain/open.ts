import { reject } from "../kernel/contract/errors.ts";
import { lru } from "../kernel/lru.ts";
import type { PublicKey } from "../kernel/nano.ts";
import { type SemaphoreOptions, semaphore } from "../kernel/pools/semaphore.ts";
import { type ChainAdapter, type ChainHealth, ChainUnavailable, type Lookup } from "./adapter.ts";
import { type Endpoint, type Environment, endpointOf } from "./endpoint.ts";
import { listsOf } from "./lists.ts";
import { lookupBlock, type Recipient } from "./lookup.ts";
import type { Reader } from "./merged-reports.ts";
import { nodesOf } from "./nodes.ts";
import { sendsOf } from "./outgoing.ts";
import { lookupPruned } from "./pruned.ts";
import { findSend } from "./sends.ts";
import { isOwnBlock, question } from "./tellers.ts";

/** The hash of the live network's first block. */
export const LIVE_GENESIS = "991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948";

const RETRY_SOON_S = 5;
/** Look-ups for agents; the service's own have as many slots of their own, so no flood of callers takes them. */
export const LOOKUPS_AT_ONCE = 8;
export const LOOKUPS_WAITING_MAX = 64;
export const LOOKUPS_PER_AGENT = 4;
const NOT_FOUND_HOLDS_MS = 10_000;
const NOT_FOUND_KEPT_MAX = 1_000;

/** How long things take. */
export interface Pace {
  /** One call. */
  readonly callMax_ms: number;
  /** One look-up or check with all its calls and pauses. */
  readonly workMax_ms: number;
  /** Between two looks at a block that is not confirmed. */
  readonly poll_ms: number;
  /** Scales the pauses between attempts. */
  readonly jitter: number;
}

export const PACE: Pace = { callMax_ms: 3_000, workMax_ms: 8_000, poll_ms: 700, jitter: 1 };

/** Which chain is read, and through what. */
export interface ChainParts {
  readonly network: ChainAdapter["network"];
  readonly genesis: string;
  /** Addresses of nodes, at least one. */
  readonly urls: readonly string[];
  readonly quorum: number;
  readonly authorization: string | null;
  /** The network's own accounts, now: what moves between them is no contribution. */
  readonly own: () => readonly PublicKey[];
  readonly pace: Pace;
}

/** A chain that can be read. */
export interface OpenedChain extends ChainAdapter {
  /** Looks at every endpoint's network and height; for a job. */
  check(): Promise<void>;
}

/** Reads one chain through its nodes. Nothing is asked before the first use or `check`. */
export function openChain(parts: ChainParts, around: Environment): OpenedChain {
  const { pace, own, quorum, network } = parts;
  const endpoints = endpointsOf(parts, around);
  const nodes = nodesOf(endpoints, quorum, around, pace.jitter);
  const reader: Reader = { nodes, poll_ms: pace.poll_ms, wait: around.wait };
  const agents = semaphore(AGENTS);
  const service = semaphore(SERVICE);
  const memory = notFoundMemory(around.now_ms);
  const flights = new Map<string, Promise<Lookup>>();

  /** Within the time that a caller can be kept waiting, its wait for a turn included. */
  const bounded = <T>(
    agent: string | null,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const limit = around.limit(pace.workMax_ms);
    const begin = async () => {
      if (!limit.aborted) return work(limit);
      throw new ChainUnavailable(RETRY_SOON_S);
    };
    return agent === null ? service.run(begin) : agents.run(begin, { holder: agent });
  };

  async function ask(to: Recipient, hash: string, limit: AbortSignal): Promise<Lookup> {
    const block = await lookupBlock(reader, to, hash, limit);
    if (block !== null) return block;
    if (!endpoints.some((endpoint) => endpoint.prunes())) return { kind: "not_found" };
    return lookupPruned(reader, to, hash, limit);
  }

  return {
    network,
    quorum,
    async lookup(hash, account, signal, agent) {
      const upper = hash.toUpperCase();
      const flight = `${upper} ${account}`;
      if (memory.holds(flight)) return { kind: "not_found" };
      let work = flights.get(flight);
      if (work === undefined) {
        work = bounded(agent ?? null, (limit) => ask({ account, own: own() }, upper, limit));
        const forget = () => void flights.delete(flight);
        flights.set(flight, work);
        work.then(forget, forget);
      }
      const answer = await unlessAborted(work, signal);
      if (answer.kind === "not_found") memory.add(flight);
      return answer;
    },
    findSend(hash, from, signal) {
      return unlessAborted(
        bounded(null, (limit) => findSend(reader, hash.toUpperCase(), from, limit)),
        signal,
      );
    },
    lists: (account, request, signal) => listsOf(nodes, account, request, signal),
    isOwnBlock: (hash, account, signal) => isOwnBlock(nodes, hash, account, signal),
    question: (told, account, signal) => question(nodes, told, account, signal),
    sends: (account, request, signal) => sendsOf(nodes, account, request, signal),
    health: () => healthOf(endpoints, quorum, nodes.contradictions()),
    async check() {
      await Promise.all(endpoints.map((endpoint) => endpoint.check()));
    },
  };
}

const SERVICE: SemaphoreOptions = {
  slots: LOOKUPS_AT_ONCE,
  waiting_max: LOOKUPS_WAITING_MAX,
  onFull: () =>
    reject("overloaded", "Too many transfers are being looked up; try again in a second."),
};
const AGENTS: SemaphoreOptions = { ...SERVICE, holder_max: LOOKUPS_PER_AGENT };

/** The answer, or the end of waiting for it: work that others wait for too goes on. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = () => reject(new ChainUnavailable(RETRY_SOON_S));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Endpoints are known by their hosts: the rest of an address may hold a secret. */
function endpointsOf(parts: ChainParts, around: Environment): readonly Endpoint[] {
  const { urls, genesis, authorization, pace } = parts;
  const hosts = urls.map((url) => new URL(url).host);
  return urls.map((url, i) => {
    const host = hosts[i] ?? "";
    const twins = hosts.slice(0, i).filter((other) => other === host).length;
    return endpointOf({
      ...around,
      name: twins === 0 ? host : `${host} (${twins + 1})`,
      address: { url, authorization },
      genesis,
      callMax_ms: pace.callMax_ms,
    });
  });
}

/** Hashes that nobody knew a moment ago, so that a caller who insists costs the nodes nothing. */
function notFoundMemory(now_ms: Environment["now_ms"]) {
  const until_ms = lru<string, number>({ max: NOT_FOUND_KEPT_MAX, sizeOf: () => 1 });
  return {
    holds: (flight: string): boolean => (until_ms.get(flight) ?? 0) > now_ms(),
    add: (flight: string): void => until_ms.set(flight, now_ms() + NOT_FOUND_HOLDS_MS),
  };
}

function healthOf(
  endpoints: readonly Endpoint[],
  quorum: number,
  contradictions: number,
): ChainHealth {
  const reports = endpoints.map((endpoint) => endpoint.report());
  const fit = reports.filter(({ ok }) => ok).length;
  const state = fit === reports.length ? "ok" : fit >= quorum ? "degraded" : "down";
  const last_ms = Math.max(...endpoints.map((endpoint) => endpoint.told().lastOk_ms ?? 0));
  const last_ok_at = last_ms === 0 ? null : Math.floor(last_ms / 1_000);
  return {
    state,
    endpoints: reports,
    last_ok_at,
    contradictions,
    ahead_s: aheadOf(endpoints, quorum),
  };
}

/** The median of what at least the quorum says; it raises an alarm, and moves nothing. */
function aheadOf(endpoints: readonly Endpoint[], quorum: number): number | null {
  const told = endpoints
    .map((endpoint) => endpoint.told().ahead_ms)
    .filter((ahead_ms) => ahead_ms !== null)
    .sort((a, b) => a - b);
  const median = told.length < quorum ? undefined : told[Math.floor((told.length - 1) / 2)];
  return median === undefined ? null : Math.round(median / 1_000);
}
