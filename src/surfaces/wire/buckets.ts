import { HOUR_S } from "../../platform/kernel/time.ts";

/** Buckets of one process. A full one need not be remembered, so only attacks come near this. */
export const BUCKETS_MAX = 50_000;

const UNUSED_MAX_MS = HOUR_S * 1_000;

/** How full a bucket can be, and how fast it fills again. */
interface Rate {
  readonly capacity: number;
  readonly per_ms: number;
}

/** A rate of `n` in `period_ms`, all of which may be used at once. */
export const rateOf = (n: number, period_ms: number): Rate => ({
  capacity: n,
  per_ms: n / period_ms,
});

interface Bucket {
  readonly rate: Rate;
  tokens: number;
  at_ms: number;
  /** Taken since the last report to the other processes. */
  unreported: number;
}

/** A charge on one bucket: its name, its rate's name, how much. */
export type Taken = readonly [name: string, rate: string, n: number];

export interface BucketsParts {
  readonly rates: Readonly<Record<string, Rate>>;
  readonly now_ms: () => number;
  /** Told when a bucket that was not full again had to go. */
  readonly full: () => void;
}

/** Token buckets by name. A sender's bucket moves along when its name changes with the key. */
export interface Buckets {
  /** Takes 1 and is 0; or takes nothing and is the seconds until there is 1, at least 1. */
  takeOne(rate: string, name: string, earlier?: string): number;
  /** Takes `n` even from an empty bucket, whose debt is its capacity at most; below 0 it gives back. */
  take(rate: string, name: string, n: number): void;
  /** The charges since the last call, for the other processes of this node. */
  unreported(): readonly Taken[];
  /** Takes what other processes have taken. */
  hear(taken: readonly Taken[]): void;
  /** Forgets what is full again or was not used for an hour, so that no name outlives its key. */
  sweep(): void;
}

export function bucketsOf({ rates, now_ms, full }: BucketsParts): Buckets {
  /** In order of use: the first is the one that was not asked for the longest. */
  const buckets = new Map<string, Bucket>();

  function filled(bucket: Bucket, at_ms: number): Bucket {
    const { capacity, per_ms } = bucket.rate;
    bucket.tokens = Math.min(capacity, bucket.tokens + (at_ms - bucket.at_ms) * per_ms);
    bucket.at_ms = at_ms;
    return bucket;
  }

  function bucketOf(rateName: string, name: string, earlier?: string): Bucket {
    const found = buckets.get(name) ?? inheritedOf(earlier) ?? fresh(rateName);
    buckets.delete(name);
    buckets.set(name, found);
    if (buckets.size > BUCKETS_MAX) forgetOldest();
    return filled(found, now_ms());
  }

  function inheritedOf(earlier: string | undefined): Bucket | undefined {
    if (earlier === undefined) return;
    const inherited = buckets.get(earlier);
    buckets.delete(earlier);
    return inherited;
  }

  function fresh(rateName: string): Bucket {
    const rate = rates[rateName];
    if (rate === undefined) throw new Error(`There is no rate ${rateName}.`);
    return { rate, tokens: rate.capacity, at_ms: now_ms(), unreported: 0 };
  }

  function forgetOldest(): void {
    const [oldest] = buckets;
    if (oldest === undefined) return;
    const [name, bucket] = oldest;
    buckets.delete(name);
    if (filled(bucket, now_ms()).tokens < bucket.rate.capacity) full();
  }

  const spend = (bucket: Bucket, n: number): void => {
    bucket.tokens = Math.max(-bucket.rate.capacity, bucket.tokens - n);
  };

  return {
    takeOne(rateName, name, earlier) {
      const bucket = bucketOf(rateName, name, earlier);
      const { tokens, rate } = bucket;
      if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / rate.per_ms / 1_000));
      bucket.tokens = tokens - 1;
      bucket.unreported++;
      return 0;
    },
    take(rateName, name, n) {
      const bucket = bucketOf(rateName, name);
      spend(bucket, n);
      bucket.unreported += n;
    },
    unreported() {
      const taken: Taken[] = [];
      for (const [name, bucket] of buckets) {
        if (bucket.unreported === 0) continue;
        taken.push([name, nameOf(bucket.rate), bucket.unreported]);
        bucket.unreported = 0;
      }
      return taken;
    },
    hear(taken) {
      for (const [name, rateName, n] of taken) spend(bucketOf(rateName, name), n);
    },
    sweep() {
      const at_ms = now_ms();
      for (const [name, { rate, tokens, at_ms: used_ms }] of buckets) {
        const isFull = tokens + (at_ms - used_ms) * rate.per_ms >= rate.capacity;
        if (isFull || at_ms - used_ms >= UNUSED_MAX_MS) buckets.delete(name);
      }
    },
  };

  function nameOf(rate: Rate): string {
    return Object.keys(rates).find((name) => rates[name] === rate) ?? "";
  }
}
