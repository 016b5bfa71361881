/** The holder that work is counted for: an agent, an address, or a single call. */
type Holder = string | number | object;

export interface SemaphoreOptions {
  /** Slots for work at one time; work takes one slot unless it has another `weight`. */
  readonly slots: number;
  /** Work that may wait, in all and for one holder. */
  readonly waiting_max: number;
  readonly holder_waiting_max?: number;
  /** Work of one holder that runs or waits. */
  readonly holder_max?: number;
  /** Called instead of waiting when a bound is reached. Throws. */
  readonly onFull: () => never;
  /** Runs the admission of waiting work later, such as in the next turn of the event loop. */
  readonly defer?: (admit: () => void) => void;
}

interface Work {
  readonly holder?: Holder;
  /** Slots that it takes, from 1 to all of them. */
  readonly weight?: number;
}

/** A weighted, bounded semaphore. It is fair to holders and first in, first out for each of them. */
export interface Semaphore {
  /** Runs work when its slots are free. Throws what `onFull` throws when too much waits. */
  run<T>(work: () => Promise<T>, as?: Work): Promise<T>;
  /**
   * Gives the slots of running work back until `waiting` settles, then waits for them again. No bound
   * refuses its return, so that many who are woken at once all go on.
   */
  suspend<T>(waiting: () => Promise<T>, as?: Work): Promise<T>;
}

interface Waiting {
  readonly weight: number;
  /** False for suspended work that comes back. */
  readonly isBounded: boolean;
  readonly begin: () => void;
}

/** For work without a holder: all of it is served in the order of arrival. */
const NOBODY = "";

/** Bounds of one holder are optional: those of all work hold for it, too. */
const UNBOUNDED = Number.POSITIVE_INFINITY;

const atOnce = (admit: () => void) => admit();

export function semaphore(options: SemaphoreOptions): Semaphore {
  const { slots, waiting_max, onFull, defer = atOnce } = options;
  const { holder_waiting_max = UNBOUNDED, holder_max = UNBOUNDED } = options;
  /** Waiting work by holder; the holder whose turn is next comes first. */
  const queues = new Map<Holder, Waiting[]>();
  /** Work that runs or waits, by holder. */
  const counts = new Map<Holder, number>();
  let free = slots;
  /** Without what was suspended. */
  let waiting = 0;
  let isAdmitting = false;

  /** Takes free slots at once. Work that waits is never overtaken by work that arrives. */
  function take(weight: number): boolean {
    if (queues.size > 0 || weight > free) return false;
    free -= weight;
    return true;
  }

  function wait(holder: Holder, weight: number, isBounded: boolean): Promise<void> {
    const own = queues.get(holder) ?? [];
    if (isBounded) {
      if (waiting >= waiting_max || own.length >= holder_waiting_max) onFull();
      waiting++;
    }
    queues.set(holder, own);
    return new Promise((begin) => own.push({ weight, isBounded, begin }));
  }

  function leave(holder: Holder, weight: number): void {
    free += weight;
    if (queues.size === 0 || isAdmitting) return;
    isAdmitting = true;
    defer(() => admit(holder));
  }

  /** Begins what waits, one piece of each holder in turn; the holder that just ended comes last. */
  function admit(ended: Holder): void {
    isAdmitting = false;
    let last = ended;
    for (;;) {
      const holder = queues.keys().find((each) => each !== last) ?? last;
      const own = queues.get(holder);
      const next = own?.[0];
      if (own === undefined || next === undefined || next.weight > free) return;
      own.shift();
      queues.delete(holder);
      if (own.length > 0) queues.set(holder, own);
      free -= next.weight;
      if (next.isBounded) waiting--;
      next.begin();
      last = holder;
    }
  }

  function count(holder: Holder, change: 1 | -1): void {
    const now = (counts.get(holder) ?? 0) + change;
    if (now === 0) counts.delete(holder);
    else counts.set(holder, now);
  }

  return {
    async run(work, { holder = NOBODY, weight = 1 } = {}) {
      if ((counts.get(holder) ?? 0) >= holder_max) onFull();
      count(holder, 1);
      try {
        if (!take(weight)) await wait(holder, weight, true);
        try {
          return await work();
        } finally {
          leave(holder, weight);
        }
      } finally {
        count(holder, -1);
      }
    },
    async suspend(until, { holder = NOBODY, weight = 1 } = {}) {
      leave(holder, weight);
      try {
        return await until();
      } finally {
        if (!take(weight)) await wait(holder, weight, false);
      }
    },
  };
}
