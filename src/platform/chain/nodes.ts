import { ChainInconsistent, ChainUnavailable } from "./adapter.ts";
import type { Endpoint, Environment } from "./endpoint.ts";
import { RpcFailure, RpcRefusal } from "./rpc.ts";

const RETRIES_MAX = 2;
const JITTER_MIN_MS = 100;
const JITTER_MAX_MS = 800;
/** After the quorum has answered, the other endpoints get this much longer; scaled like the pauses. */
const REST_MS = 5_000;
const RETRY_AFTER_MIN_S = 5;
const RETRY_AFTER_MAX_S = 300;

/** Something to ask of one endpoint. */
type Question<T> = (endpoint: Endpoint, signal: AbortSignal) => Promise<T>;

/** The endpoints together. A question fails only when too few of them gave an answer. */
export interface Nodes {
  readonly quorum: number;
  /** Asks all at once. Ends as soon as the answers are `enough`, else when everyone has answered; at least the quorum has. */
  all<T>(
    question: Question<T>,
    enough: (answers: readonly T[]) => boolean,
    signal: AbortSignal,
  ): Promise<readonly T[]>;
  /** Asks all at once. Ends 5 s after the quorum has answered, so that one slow endpoint delays nobody. */
  most<T>(question: Question<T>, signal: AbortSignal): Promise<readonly T[]>;
  /** Asks one after another until one knows something; null when those that answered know nothing. */
  one<T>(question: Question<T | null>, signal: AbortSignal): Promise<T | null>;
  /** Asks the endpoints of these names; those that fail or are silent have no answer. */
  named<T>(
    names: readonly string[],
    question: Question<T>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, T>>;
  /**
   * An endpoint has invented something. It is reported, and not asked for a day, if the others are enough for the
   * quorum; resolves to whether it is left out.
   */
  accuse(name: string, what: string): boolean;
  /** Too little to believe, and when to ask again; to be thrown. */
  unavailable(): ChainUnavailable;
  /** A contradiction, reported and counted; to be thrown. */
  contradiction(what: string): ChainInconsistent;
  contradictions(): number;
}

/** `jitter` scales the pauses between attempts, so that tests need not wait. */
export function nodesOf(
  endpoints: readonly Endpoint[],
  quorum: number,
  { wait, random, alarm }: Environment,
  jitter: number,
): Nodes {
  let turn = 0;
  let contradictions = 0;

  function contradicted(endpoint: string, { what }: ChainInconsistent): void {
    contradictions++;
    alarm("chain_contradiction", { endpoint, what });
  }

  const pause = (signal: AbortSignal) => {
    const [byte = 0] = random(1);
    const span_ms = JITTER_MAX_MS - JITTER_MIN_MS;
    return wait(jitter * (JITTER_MIN_MS + (byte / 255) * span_ms), signal);
  };

  /** One endpoint's answer, with two more attempts when its silence may pass. */
  async function patiently<T>(endpoint: Endpoint, question: Question<T>, signal: AbortSignal) {
    for (let retries = 0; ; retries++) {
      try {
        return await question(endpoint, signal);
      } catch (error) {
        const passes = error instanceof RpcFailure && error.passes;
        if (!passes || retries === RETRIES_MAX || signal.aborted) throw error;
        await pause(signal);
      }
    }
  }

  /** The contradiction behind an endpoint's silence, or null. Rethrows every other error. */
  function fault(endpoint: Endpoint, error: unknown): ChainInconsistent | null {
    if (error instanceof RpcFailure || error instanceof RpcRefusal) return null;
    if (!(error instanceof ChainInconsistent)) throw error;
    contradicted(endpoint.name, error);
    return error;
  }

  const asking = { endpoints, quorum, patiently, fault };

  return {
    quorum,
    contradictions: () => contradictions,
    unavailable: () => unavailable(endpoints),
    accuse(name, what) {
      contradicted(name, new ChainInconsistent(what));
      const others = endpoints.filter((endpoint) => endpoint.name !== name && endpoint.isTrusted());
      if (others.length < quorum) return false;
      for (const endpoint of endpoints) if (endpoint.name === name) endpoint.distrust(what);
      return true;
    },
    named: (names, question, signal) => askNamed(asking, names, question, signal),
    contradiction(what) {
      const error = new ChainInconsistent(what);
      contradicted("all", error);
      return error;
    },

    all: (question, enough, signal) =>
      gather(asking, question, signal, (answers, end) => {
        if (enough(answers)) end();
      }),

    most: (question, signal) =>
      gather(asking, question, signal, (answers, end, limit) => {
        if (answers.length === quorum) void wait(jitter * REST_MS, limit).then(end);
      }),

    async one<T>(question: Question<T | null>, signal: AbortSignal) {
      const first = turn++ % endpoints.length;
      const waiting = [...endpoints.slice(first), ...endpoints.slice(0, first)];
      let retries = 0;
      let ignorance: "nobody" | "somebody" = "nobody";
      let contradiction: ChainInconsistent | null = null;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        try {
          if (signal.aborted || !(await next.isUsable(signal))) continue;
          const answer = await question(next, signal);
          if (answer !== null) return answer;
          ignorance = "somebody";
        } catch (error) {
          contradiction = fault(next, error) ?? contradiction;
          if (!(error instanceof RpcFailure && error.passes) || retries++ >= RETRIES_MAX) continue;
          waiting.push(next);
          await pause(signal);
        }
      }
      if (ignorance === "somebody") return null;
      throw contradiction ?? unavailable(endpoints);
    },
  };
}

interface Asking {
  readonly endpoints: readonly Endpoint[];
  readonly quorum: number;
  /** One endpoint's answer, with further attempts. */
  patiently<T>(endpoint: Endpoint, question: Question<T>, signal: AbortSignal): Promise<T>;
  /** The contradiction behind an endpoint's failure, or null for silence. Throws any other error. */
  fault(endpoint: Endpoint, error: unknown): ChainInconsistent | null;
}

/** What the endpoints of some names answer; those that fail or are silent have no answer. */
async function askNamed<T>(
  { endpoints, patiently, fault }: Asking,
  names: readonly string[],
  question: Question<T>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, T>> {
  const answers = new Map<string, T>();
  const asked = endpoints.filter(({ name }) => names.includes(name));
  await Promise.all(
    asked.map(async (endpoint) => {
      try {
        if (await endpoint.isUsable(signal))
          answers.set(endpoint.name, await patiently(endpoint, question, signal));
      } catch (error) {
        fault(endpoint, error);
      }
    }),
  );
  return answers;
}

/** Told after each answer; `end` ends the asking before everyone has answered. */
type Heard<T> = (answers: readonly T[], end: () => void, limit: AbortSignal) => void;

/** Asks all endpoints at once. Throws when fewer than the quorum answered. */
async function gather<T>(
  { endpoints, quorum, patiently, fault }: Asking,
  question: Question<T>,
  signal: AbortSignal,
  heard: Heard<T>,
): Promise<readonly T[]> {
  const answers: T[] = [];
  const ended = new AbortController();
  const limit = AbortSignal.any([signal, ended.signal]);
  let contradiction: ChainInconsistent | null = null;
  const decided = Promise.withResolvers<void>();
  const asked = endpoints.map(async (endpoint) => {
    try {
      if (!(await endpoint.isUsable(limit))) return;
      answers.push(await patiently(endpoint, question, limit));
      heard(answers, decided.resolve, limit);
    } catch (error) {
      contradiction = fault(endpoint, error) ?? contradiction;
    }
  });
  await Promise.race([decided.promise, Promise.all(asked)]);
  const decisive = [...answers];
  ended.abort();
  if (decisive.length >= quorum) return decisive;
  throw contradiction ?? unavailable(endpoints);
}

/**
 * What the quorum says, of all that endpoints said; null when nobody said anything. Throws when too few
 * say the same.
 */
export function agreed<T>(nodes: Nodes, said: readonly T[], what: string): T | null {
  if (said.length === 0) return null;
  const values = [...new Set(said)];
  const differ = () => nodes.contradiction(`endpoints differ in ${what}`);
  const [most, ...rivals] = values.filter(
    (value) => said.filter((one) => one === value).length >= nodes.quorum,
  );
  if (most === undefined || rivals.length > 0)
    throw values.length > 1 ? differ() : nodes.unavailable();
  if (values.length > 1) differ(); // An endpoint is wrong; raise an alarm.
  return most;
}

/** Nothing to believe, until the first endpoint may be asked again. */
function unavailable(endpoints: readonly Endpoint[]): ChainUnavailable {
  const pause_s = Math.min(...endpoints.map((endpoint) => endpoint.pause_ms())) / 1_000;
  const bounded = Math.min(Math.max(Math.ceil(pause_s), RETRY_AFTER_MIN_S), RETRY_AFTER_MAX_S);
  return new ChainUnavailable(bounded);
}
