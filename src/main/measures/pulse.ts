import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Performance, RoutePace } from "../../surfaces/console/parts.ts";
import { BUCKETS_S, type Figures, type RoutesFigures } from "../../surfaces/operator/metrics.ts";
import type { Job } from "../jobs/jobs.ts";

const EVERY_MS = 15_000;
/** Looks that 5 minutes have. */
const LOOKS = 20;
const LOOP_RESOLUTION_MS = 20;
const NS_PER_MS = 1_000_000;
const US_PER_S = 1_000_000;

/** What one look keeps of a route. */
interface Counted {
  readonly requests: number;
  readonly errors: number;
  readonly sum_s: number;
  readonly buckets: readonly number[];
}

const NOTHING: Counted = { requests: 0, errors: 0, sum_s: 0, buckets: [] };

interface Look {
  readonly at: Seconds;
  readonly cpu_us: number;
  readonly routes: ReadonlyMap<string, Counted>;
}

function countedIn(routes: RoutesFigures): ReadonlyMap<string, Counted> {
  const counted = new Map<string, Counted>();
  for (const [route, { answers, buckets, sum_s }] of routes) {
    let [requests, errors] = [0, 0];
    for (const statuses of answers.values())
      for (const [status, count] of statuses) {
        requests += count;
        if (status >= 500) errors += count;
      }
    counted.set(route, { requests, errors, sum_s, buckets: [...buckets] });
  }
  return counted;
}

/** The upper bound below which a share of the requests lies; null where it is beyond all bounds, or none came. */
function quantileOf(share: number, requests: number, buckets: readonly number[]): number | null {
  let below = 0;
  for (const [i, bound_s] of BUCKETS_S.entries()) {
    below += buckets[i] ?? 0;
    if (requests > 0 && below >= share * requests) return bound_s;
  }
  return null;
}

/** The pace of one route between two looks. */
function paceOf(route: string, now: Counted, before: Counted): RoutePace {
  const requests = now.requests - before.requests;
  const buckets = now.buckets.map((count, i) => count - (before.buckets[i] ?? 0));
  const sum_s = now.sum_s - before.sum_s;
  return {
    route,
    requests,
    errors: now.errors - before.errors,
    sum_s,
    mean_s: requests === 0 ? null : sum_s / requests,
    p50_s: quantileOf(0.5, requests, buckets),
    p99_s: quantileOf(0.99, requests, buckets),
  };
}

/** How the service has run in the last 5 minutes: from looks that are 15 seconds apart. */
export function pulseOf(
  figures: Pick<Figures, "routes" | "slowest" | "known">,
  now: () => Seconds,
) {
  const looks: Look[] = [];
  let runs = 0;
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  const look = (): Look => {
    const { user, system } = process.cpuUsage();
    return { at: now(), cpu_us: user + system, routes: countedIn(figures.routes()) };
  };
  const job: Job = {
    name: "pulse",
    every_ms: EVERY_MS,
    async run() {
      runs++;
      if (runs % LOOKS === 0) delay.reset();
      if (looks.length >= LOOKS) looks.shift();
      looks.push(look());
    },
  };
  function read(): Performance {
    const last = look();
    const first = looks[0] ?? look();
    const span_s = Math.max(1, last.at - first.at);
    const routes = [...last.routes]
      .map(([route, counted]) => paceOf(route, counted, first.routes.get(route) ?? NOTHING))
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.sum_s - a.sum_s);
    return {
      span_s,
      routes,
      slowest: figures.slowest(last.at),
      cpu_share: (last.cpu_us - first.cpu_us) / US_PER_S / span_s,
      loop_p99_ms: delay.percentile(99) / NS_PER_MS,
      resident_bytes: process.memoryUsage.rss(),
    };
  }
  return { job, watch: { performance: read, figures: figures.known } };
}
