import type { Taken } from "../../surfaces/wire/buckets.ts";
import type { SenderKeys } from "../../surfaces/wire/sender.ts";

/** How often the processes of a node exchange what was taken: a limit is late by twice that. */
export const SHARE_EVERY_MS = 250;

/** The other workers' counts, so that all count as one. */
export interface Share {
  readonly keys: SenderKeys;
  /** What the others have taken since the last time. */
  readonly taken: readonly Taken[];
}

/** Sums what the workers have taken. */
export interface Shares<Worker> {
  add(worker: Worker, taken: readonly Taken[]): void;
  /** For each of these workers what the others have taken since the last round. */
  round(workers: Iterable<Worker>): ReadonlyMap<Worker, readonly Taken[]>;
}

type Sums = Map<string, { readonly rate: string; n: number }>;

export function sharesOf<Worker>(): Shares<Worker> {
  let all: Sums = new Map();
  let own = new Map<Worker, Sums>();

  const othersThan = (worker: Worker): Taken[] =>
    [...all].flatMap(([name, { rate, n }]): Taken[] => {
      const others = n - (own.get(worker)?.get(name)?.n ?? 0);
      return others === 0 ? [] : [[name, rate, others]];
    });

  return {
    add(worker, taken) {
      const mine = own.get(worker) ?? new Map();
      own.set(worker, mine);
      for (const one of taken) for (const sums of [all, mine]) addTo(sums, one);
    },
    round(workers) {
      const shares = new Map([...workers].map((worker) => [worker, othersThan(worker)]));
      all = new Map();
      own = new Map();
      return shares;
    },
  };
}

function addTo(sums: Sums, [name, rate, n]: Taken): void {
  const sum = sums.get(name);
  if (sum === undefined) sums.set(name, { rate, n });
  else sum.n += n;
}
