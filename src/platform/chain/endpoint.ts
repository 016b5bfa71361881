import type { Alarm } from "../kernel/alarms.ts";
import type { ChainHealth } from "./adapter.ts";
import { blockCount, telemetry, version } from "./answers.ts";
import { callNode, type RpcAddress, RpcFailure, RpcRefusal, type RpcRequest } from "./rpc.ts";

/** Time and chance, which the opener of the chain provides. */
export interface Environment {
  readonly now_ms: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly wait: (wait_ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that is aborted after so long. */
  readonly limit: (max_ms: number) => AbortSignal;
  readonly random: (n: number) => Uint8Array;
  /** Tells the operator; the facts hold nothing secret. */
  readonly alarm: Alarm;
}

/** What an endpoint needs to know. */
export interface EndpointParts extends Environment {
  readonly name: string;
  readonly address: RpcAddress;
  /** The hash of the network's first block. */
  readonly genesis: string;
  readonly callMax_ms: number;
}

/** One node, or a proxy before it. */
export interface Endpoint {
  readonly name: string;
  /** One call without another attempt; null when the node does not know the block or account. */
  call(request: RpcRequest, signal: AbortSignal): Promise<object | null>;
  /** Whether it may be asked: on the right network, not behind, and not failing. Asks it when that is not known. */
  isUsable(signal: AbortSignal): Promise<boolean>;
  /** Looks at its network and its height. */
  check(): Promise<void>;
  /** Whether it forgets old blocks. */
  prunes(): boolean;
  /** Whether it says that it forgets none; a proxy may not say. */
  keepsAll(): boolean;
  /** It has invented something: it is not asked for a day. */
  distrust(what: string): void;
  isTrusted(): boolean;
  /** Milliseconds until it may be asked again. */
  pause_ms(): number;
  /** When it last answered, and how far its peers' clocks are ahead of this machine's, as far as it has said. */
  told(): { readonly lastOk_ms: number | null; readonly ahead_ms: number | null };
  report(): ChainHealth["endpoints"][number];
}

const FAILURES_MAX = 5;
const PAUSE_FIRST_MS = 15_000;
const PAUSE_MAX_MS = 300_000;
/** An endpoint that was left out is looked at again after this time. */
const LEFT_OUT_MS = 5_000;
/** An endpoint that has invented something is not asked for so long. */
const DISTRUSTED_MS = 24 * 3_600_000;
/** The job looks every minute; when it does not run, a caller looks after two. */
const CHECK_HOLDS_MS = 120_000;
/** In thousandths: how much of what its peers have an endpoint must have itself. */
const HEIGHT_MIN = 999;

/** What the last look at an endpoint brought. */
interface Verdict {
  readonly at_ms: number;
  /** Null when it may be asked. */
  readonly fault: string | null;
  readonly blocks: number | null;
  readonly prunes: boolean;
  /** How far its peers' clocks are ahead of this machine's; null where it does not say. */
  readonly ahead_ms: number | null;
}

export function endpointOf(parts: EndpointParts): Endpoint {
  const { name, address, now_ms, limit, callMax_ms } = parts;
  let failures = 0;
  let pause_ms = PAUSE_FIRST_MS;
  let openUntil_ms = 0;
  let usesOldNames = false;
  let lastError: string | null = null;
  let lastOk_ms: number | null = null;
  let verdict: Verdict | null = null;
  let looking: Promise<void> | null = null;
  let distrustedUntil_ms = 0;

  function fail(reason: string): void {
    lastError = reason;
    if (++failures < FAILURES_MAX || openUntil_ms > now_ms()) return;
    openUntil_ms = now_ms() + pause_ms;
    pause_ms = Math.min(2 * pause_ms, PAUSE_MAX_MS);
  }

  async function attempt(request: RpcRequest, signal: AbortSignal): Promise<object | null> {
    try {
      const ends = AbortSignal.any([signal, limit(callMax_ms)]);
      const answer = await callNode(address, request, ends);
      [failures, pause_ms, openUntil_ms, lastOk_ms] = [0, PAUSE_FIRST_MS, 0, now_ms()];
      return answer;
    } catch (error) {
      // A caller that gave up waiting learned nothing about the endpoint.
      if (error instanceof RpcFailure && !signal.aborted) fail(error.message);
      throw error;
    }
  }

  /** Nodes before V23, and what proxies allow by default, know `receivable` as `pending`. */
  async function call(request: RpcRequest, signal: AbortSignal): Promise<object | null> {
    const older = { ...request, action: request.action.replace(/^receivable/, "pending") };
    if (usesOldNames || older.action === request.action) return attempt(older, signal);
    try {
      return await attempt(request, signal);
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const answer = await attempt(older, signal);
      usesOldNames = true;
      return answer;
    }
  }

  async function probe(signal: AbortSignal): Promise<void> {
    try {
      const found = await verdictOf(parts, call, signal);
      if (found.fault !== null) lastError = found.fault;
      verdict = { at_ms: now_ms(), ...found };
    } catch {
      // No answer: it counted as a failure already, and says nothing new of network and height.
    }
  }

  /** Looks once for all who wait for it; nobody's giving up ends it for the others. */
  function check(): Promise<void> {
    looking ??= probe(new AbortController().signal).finally(() => {
      looking = null;
    });
    return looking;
  }

  const isClosed = () => failures < FAILURES_MAX;
  const isFit = () => verdict !== null && verdict.fault === null;

  const isTrusted = () => now_ms() >= distrustedUntil_ms;

  function rest_ms(): number {
    if (!isTrusted()) return distrustedUntil_ms - now_ms();
    if (!isClosed()) return openUntil_ms - now_ms();
    return verdict === null || isFit() ? 0 : verdict.at_ms + LEFT_OUT_MS - now_ms();
  }

  return {
    name,
    call,
    check,
    async isUsable(signal) {
      if (rest_ms() > 0) return false;
      const isKnown = verdict !== null && now_ms() - verdict.at_ms < CHECK_HOLDS_MS;
      if (!(isClosed() && isFit() && isKnown)) await abandoned(check(), signal);
      return isClosed() && isFit();
    },
    prunes: () => verdict?.prunes ?? false,
    keepsAll: () => verdict !== null && verdict.blocks !== null && !verdict.prunes,
    isTrusted,
    distrust(what) {
      distrustedUntil_ms = now_ms() + DISTRUSTED_MS;
      lastError = what;
    },
    pause_ms: () => Math.max(0, rest_ms()),
    told: () => ({ lastOk_ms, ahead_ms: isTrusted() ? (verdict?.ahead_ms ?? null) : null }),
    report: () => ({
      name,
      ok: isTrusted() && isClosed() && isFit(),
      last_error: lastError,
      block_count: verdict?.blocks ?? null,
    }),
  };
}

/** Network and height. Throws when the endpoint gives no answer. */
async function verdictOf(
  { genesis, now_ms }: EndpointParts,
  call: Endpoint["call"],
  signal: AbortSignal,
): Promise<Omit<Verdict, "at_ms">> {
  const ask = async (action: string) => {
    try {
      return await call({ action }, signal);
    } catch (error) {
      if (error instanceof RpcRefusal) return null; // Proxies allow few actions.
      throw error;
    }
  };
  const left = (fault: string) => ({ fault, blocks: null, prunes: false, ahead_ms: null });
  const about = version.safeParse(await ask("version")).data;
  if (about === undefined) return left("does not name its network");
  if (about.network_identifier !== genesis) return left("is on another network");
  const own = blockCount.safeParse(await ask("block_count")).data;
  const peers = telemetry.safeParse(await ask("telemetry")).data;
  const blocks = own?.count ?? null;
  const prunes = (own?.pruned ?? 0) > 0;
  const isBehind =
    blocks !== null && peers !== undefined && blocks * 1_000 < peers.block_count * HEIGHT_MIN;
  const ahead_ms = peers?.timestamp === undefined ? null : peers.timestamp - now_ms();
  return { fault: isBehind ? "is behind the network" : null, blocks, prunes, ahead_ms };
}

/** Resolves when the work is done, or when nobody waits for it any more. */
async function abandoned(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([work, promise]);
  signal.removeEventListener("abort", leave);
}
