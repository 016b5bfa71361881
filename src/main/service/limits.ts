import type { Context } from "../../platform/context.ts";
import type { Alarm } from "../../platform/kernel/alarms.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { type Buckets, bucketsOf } from "../../surfaces/wire/buckets.ts";
import {
  type CountedRegistrations,
  type RateLimit,
  rateLimitOf,
  ratesOf,
  registrationsOf,
} from "../../surfaces/wire/rate-limit.ts";
import { type Senders, sendersOf } from "../../surfaces/wire/sender.ts";
import type { Configuration } from "../settings/settings.ts";
import { handlesMax, type Rooms, roomsOf } from "./process-limits.ts";

/** What one process remembers of its senders and of what they have used up. */
export interface Limits {
  readonly senders: Senders;
  readonly rooms: Rooms;
  readonly buckets: Buckets;
  /** Null when none is enforced. */
  readonly rateLimit: RateLimit | null;
  readonly registrations: CountedRegistrations;
  /** Forgets senders that are not heard of any more. */
  readonly sweep: () => Promise<void>;
}

type Parts = Pick<Context, "clock" | "random" | "occurrences"> & {
  readonly alarm: Alarm;
};

export function limitsOf(
  configuration: Configuration,
  { clock, random, occurrences, alarm }: Parts,
): Limits {
  const now_ms = () => performance.now();
  const senders = sendersOf({
    trusted: configuration.trustedProxies,
    now_ms,
    random,
    untrusted: hourly(now_ms, () => alarm("proxy_not_trusted", { advice: NAME_THE_PROXY })),
  });
  const full = hourly(now_ms, () => alarm("rate_buckets_full", {}));
  const buckets = bucketsOf({ rates: ratesOf(configuration), now_ms, full });
  const rateLimit = rateLimitOf({
    buckets,
    now: clock.now,
    refused: () => occurrences.count("rate_limited"),
  });
  return {
    senders,
    rooms: roomsOf(configuration, handlesMax()),
    buckets,
    registrations: registrationsOf(buckets, configuration),
    rateLimit: configuration.rateLimitPerMinute === 0 ? null : rateLimit,
    async sweep() {
      senders.keys();
      buckets.sweep();
    },
  };
}

const NAME_THE_PROXY =
  "Name it in CAIRN_TRUSTED_PROXIES; until then its clients' addresses are unknown.";

/** An event that every request of an attack repeats is reported once an hour. */
function hourly(now_ms: () => number, tell: () => void): () => void {
  let told_ms = Number.NEGATIVE_INFINITY;
  return () => {
    if (now_ms() - told_ms < HOUR_S * 1_000) return;
    told_ms = now_ms();
    tell();
  };
}
