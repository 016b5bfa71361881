import type { Agent } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import { type Claim, fairPool } from "../../platform/kernel/pools/fair-pool.ts";
import { sharesOf } from "../incoming/sharing.ts";

/** Streams of one process, those without a token among them, and those of one agent. */
export const STREAMS_MAX = 1_000;
export const STREAMS_WITHOUT_TOKEN_MAX = 500;
export const STREAMS_PER_AGENT = 4;
/** Of one network or site, and without a token. */
export const STREAMS_PER_NETWORK = STREAMS_MAX / 2;
export const STREAMS_WITHOUT_TOKEN_PER_NETWORK = STREAMS_WITHOUT_TOKEN_MAX / 2;

/** When a refused client may try again. */
const RETRY_AFTER_S = 30;

/** Clients without a token whose addresses are unknown are one holder. */
const UNKNOWN = {};

/** A stream that somebody reads. `poll` is called a few times a second. */
interface OpenStream {
  poll(now_ms: number): void;
}

/** The client of a stream. */
export interface Streamer {
  readonly agent: Pick<Agent, "agent_id"> | null;
  readonly sender: Sender | null;
}

/** The streams of one process. */
export interface StreamSlots {
  /**
   * Takes a slot; what it returns gives it back. When all are taken, the network, and in it the agent, with most
   * makes room for one with fewer: its oldest stream is ended by `end`. Rejects with 503 `overloaded` when its own
   * share is used up, or when nobody has more.
   */
  take(streamer: Streamer, end: () => void): () => void;
  /** Looks at a stream until what it returns is called. */
  watch(stream: OpenStream): () => void;
  poll(): void;
  /** Only runs forward. */
  now_ms(): number;
}

export function streamSlots(now_ms: () => number): StreamSlots {
  const open = new Set<OpenStream>();
  const all = fairPool(STREAMS_MAX);
  const withoutToken = fairPool(STREAMS_WITHOUT_TOKEN_MAX);

  /** The pools that a stream takes a slot of, and its shares of each. */
  function poolsFor({ agent, sender }: Streamer) {
    const sharer = { agent: agent?.agent_id, sender, connection: UNKNOWN };
    const isKnown = sender !== null;
    if (agent !== null)
      return [
        {
          pool: all,
          shares: sharesOf(sharer, { agent: STREAMS_PER_AGENT, network: STREAMS_PER_NETWORK }),
        },
      ];
    const own = isKnown ? STREAMS_WITHOUT_TOKEN_PER_NETWORK : STREAMS_WITHOUT_TOKEN_MAX;
    const shares = sharesOf(sharer, { agent: own, network: own });
    return [withoutToken, all].map((pool) => ({ pool, shares }));
  }

  return {
    take(streamer, end) {
      const claims: Claim[] = [];
      const leave = () => {
        for (const claim of claims) claim.leave();
      };
      const displace = () => {
        leave();
        end();
      };
      for (const { pool, shares } of poolsFor(streamer)) {
        const claim = pool.claim(shares, displace);
        if (!claim.grow(1)) {
          leave();
          throw FULL;
        }
        claims.push(claim);
      }
      return leave;
    },
    watch(stream) {
      open.add(stream);
      return () => void open.delete(stream);
    },
    poll() {
      const now = now_ms();
      for (const stream of open) stream.poll(now);
    },
    now_ms,
  };
}

export const FULL = new Rejection(
  "overloaded",
  "Too many streams are open. End one of yours, or ask with wait instead.",
  undefined,
  RETRY_AFTER_S,
);
