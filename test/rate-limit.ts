import { bucketsOf } from "../src/surfaces/wire/buckets.ts";
import { rateLimitOf, ratesOf } from "../src/surfaces/wire/rate-limit.ts";

/** A rate limit by itself, and its buckets, without registrations. */
export function limited(rateLimitPerMinute: number, now_ms: () => number) {
  const counts = { full: 0, refused: 0 };
  const rates = ratesOf({ rateLimitPerMinute, registrationsPerHour: 0 });
  const buckets = bucketsOf({ rates, now_ms, full: () => counts.full++ });
  const now = () => Math.floor(now_ms() / 1_000);
  return {
    rateLimit: rateLimitOf({ buckets, now, refused: () => counts.refused++ }),
    buckets,
    counts,
  };
}
