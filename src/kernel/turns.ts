/** Whom waiting work is counted for: an agent, an address, or a call that stands for itself. */
type TurnHolder = string | number | object;

export interface TurnBounds {
  /** Work that runs at a time. */
  readonly atOnce: number;
  /** Work that may wait, in all and for one holder. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** Work of one holder that runs or waits; without it only what waits is bounded. */
  readonly ofOne?: number;
}

/** A bounded semaphore that is fair to holders. */
export interface Turns {
  /**
   * Runs work when its turn comes: holders take turns, so whoever brings much delays others by one
   * piece of work. Throws what `refuse` throws when too much waits.
   */
  run<T>(holder: TurnHolder, work: () => Promise<T>): Promise<T>;
}

export function turnsOf(bounds: TurnBounds, refuse: () => never): Turns {
  /** The holders that wait, in the order of their turns. */
  const queues = new Map<TurnHolder, (() => void)[]>();
  const begun = new Map<TurnHolder, number>();
  let running = 0;
  let waiting = 0;

  /** Counts the work of a holder, if it may have more. */
  function admit(holder: TurnHolder): void {
    const own = begun.get(holder) ?? 0;
    if (own >= (bounds.ofOne ?? Number.POSITIVE_INFINITY)) refuse();
    begun.set(holder, own + 1);
  }

  function dismiss(holder: TurnHolder): void {
    const own = begun.get(holder) ?? 0;
    if (own > 1) begun.set(holder, own - 1);
    else begun.delete(holder);
  }

  function wait(holder: TurnHolder): Promise<void> {
    const own = queues.get(holder) ?? [];
    if (waiting >= bounds.waiting || own.length >= bounds.waitingOfOne) refuse();
    waiting++;
    queues.set(holder, own);
    return new Promise((resolve) => own.push(resolve));
  }

  /** Work that ends hands its place to the next in line, so that no newcomer takes it. */
  function handOn(ended: TurnHolder): void {
    const holder = queues.keys().find((each) => each !== ended) ?? ended;
    const own = queues.get(holder);
    if (own === undefined) {
      running--;
      return;
    }
    const next = own.shift();
    queues.delete(holder);
    if (own.length > 0) queues.set(holder, own); // Behind all others.
    waiting--;
    next?.();
  }

  return {
    async run(holder, work) {
      admit(holder);
      try {
        if (running < bounds.atOnce) running++;
        else await wait(holder);
        try {
          return await work();
        } finally {
          handOn(holder);
        }
      } finally {
        dismiss(holder);
      }
    },
  };
}
