import { Rejection } from "../../kernel/contract/errors.ts";

/** Streams of one process, those without a token among them, and those of one agent. */
export const STREAMS_MAX = 1_000;
export const STREAMS_WITHOUT_TOKEN_MAX = 500;
export const STREAMS_PER_AGENT = 4;

/** When a refused client may try again. */
const RETRY_AFTER_S = 30;

/** A stream that somebody reads. `poll` is called a few times a second. */
interface OpenStream {
  poll(now_ms: number): void;
}

/** The streams of one process. */
export interface StreamSlots {
  /** Takes a slot; what it returns gives it back. Rejects with 503 `overloaded` when there is none. */
  take(agent_id: string | null): () => void;
  /** Looks at a stream until what it returns is called. */
  watch(stream: OpenStream): () => void;
  poll(): void;
  /** Only runs forward. */
  now_ms(): number;
}

export function streamSlots(now_ms: () => number): StreamSlots {
  const open = new Set<OpenStream>();
  const counts = new Map<string | null, number>();
  let total = 0;
  return {
    take(agent_id) {
      const own = counts.get(agent_id) ?? 0;
      const own_max = agent_id === null ? STREAMS_WITHOUT_TOKEN_MAX : STREAMS_PER_AGENT;
      if (own >= own_max || total >= STREAMS_MAX) throw FULL;
      counts.set(agent_id, own + 1);
      total++;
      return () => {
        const left = (counts.get(agent_id) ?? 0) - 1;
        if (left > 0) counts.set(agent_id, left);
        else counts.delete(agent_id);
        total--;
      };
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

const FULL = new Rejection(
  "overloaded",
  "Too many streams are open. End one of yours, or ask with wait instead.",
  undefined,
  RETRY_AFTER_S,
);
