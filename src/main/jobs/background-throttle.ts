/**
 * While requests come, this many parts of the time are theirs for each part of a background job:
 * one that keeps a promise takes a fifth, one that only looks at what is stored a twentieth.
 */
const REST_PER_WORK = { promised: 4, patient: 19 } as const;
const REST_MAX_MS = 250;

type Urgency = keyof typeof REST_PER_WORK;

/** Background work in slices, which yields to requests. */
export interface BackgroundThrottle {
  /** Hears of every request that was answered. */
  readonly asked: () => void;
  /**
   * For one job: what it awaits between two slices. While nobody asks that is one turn of the event
   * loop, so that a start checks its ledger soon; otherwise a rest in proportion to the slice.
   * Rejects with an AbortError when the process is to stop, which waits for no job's end.
   */
  readonly yielder: (urgency: Urgency) => () => Promise<void>;
}

interface Timing {
  readonly now_ms: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Aborted when the process is to stop. */
  readonly stopping: AbortSignal;
}

export function backgroundThrottle({ now_ms, sleep, stopping }: Timing): BackgroundThrottle {
  let requests = 0;
  return {
    asked() {
      requests++;
    },
    yielder(urgency) {
      let known = requests;
      let begun_ms = now_ms();
      return async () => {
        const rest_ms = Math.min(REST_MAX_MS, (now_ms() - begun_ms) * REST_PER_WORK[urgency]);
        await new Promise((resolve) => setImmediate(resolve));
        if (requests !== known) await sleep(rest_ms);
        stopping.throwIfAborted();
        known = requests;
        begun_ms = now_ms();
      };
    },
  };
}
