import type { Registry } from "prom-client";
import { HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import type { SlowRequest } from "../console/parts.ts";
import type { Answered } from "../wire/answer.ts";

/** Label values come from closed lists, so that the number of series is bounded. */
type Labels = Readonly<Record<string, string>>;

/** One value, or one for each set of labels. */
type Samples = number | readonly (readonly [labels: Labels, value: number])[];

/** A figure that is asked for at each scrape. One whose name ends in `_total` is a counter, any other a gauge. */
export interface Measure {
  readonly name: `cairn_${string}`;
  readonly help: string;
  readonly collect: () => Promise<Samples> | Samples;
}

/** How figures are asked for. */
export interface Looks {
  /** Steady milliseconds. */
  readonly now_ms: () => number;
  /** The time of day. */
  readonly now: () => Seconds;
  /** Null when the look fails or takes too long. */
  soon<T>(measure: () => Promise<T> | T): Promise<T | null>;
}

/** What the operators' listener shows at `/metrics`. */
export interface Figures {
  count(answer: Answered): void;
  /** All that was counted since the last time, for another process to `add`. */
  take(): RoutesFigures;
  add(counted: RoutesFigures): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  /** Those of measures by name; of one with labels the largest. */
  known(): Promise<ReadonlyMap<string, number>>;
  /** The counts of each route since the start. */
  routes(): RoutesFigures;
  /** The slowest answers of the hour before a time. */
  slowest(at: Seconds): readonly SlowRequest[];
  /** Answers that say that the program failed: 5xx without 503. */
  failures(): number;
}

/** Upper bounds, in seconds. */
export const BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** The figures of one route: answers by method and status, and how long they took. */
interface RouteFigures {
  readonly answers: Map<string, Map<number, number>>;
  readonly buckets: number[];
  sum_s: number;
  /** Requests that waited for news, and how long. */
  waits: number;
  waited_s: number;
  /** The slowest of the last hour. */
  slow: SlowRequest[];
}

/** Slow ones that are kept, for each route and to be shown; faster answers than this are none. */
const SLOW_MAX = 20;
const SLOW_MIN_S = 0.02;

const slowestOf = (all: readonly SlowRequest[], now: Seconds): SlowRequest[] =>
  all
    .filter(({ at }) => at > now - HOUR_S)
    .sort((a, b) => b.duration_s - a.duration_s)
    .slice(0, SLOW_MAX);

const NO_WORK = { sum_s: 0, waits: 0, waited_s: 0 };

export type RoutesFigures = ReadonlyMap<string, RouteFigures>;

/**
 * Counts answers by route template, method and status: few and known words, never an address or a
 * raw URL. Requests are counted here by hand, because the library's two calls take 2 µs of each.
 */
export function figuresOf(measures: readonly Measure[], { now_ms, now, soon }: Looks): Figures {
  const found = sharedFor(SHARED_MS, now_ms, () => samplesOf(measures, soon));
  let routes = new Map<string, RouteFigures>();
  let register: Promise<Registry> | null = null;

  function routeOf(route: string): RouteFigures {
    const known = routes.get(route);
    if (known !== undefined) return known;
    const fresh = { answers: new Map(), buckets: BUCKETS_S.map(() => 0), ...NO_WORK, slow: [] };
    routes.set(route, fresh);
    return fresh;
  }

  return {
    count({ route, method, status, began_ms, waits_ms, ended_ms }) {
      const figures = routeOf(route);
      countAnswers(figures, method, status, 1);
      const worked_ms = waits_ms === 0 ? ended_ms : waits_ms;
      if (waits_ms > 0) {
        figures.waits++;
        figures.waited_s += (ended_ms - waits_ms) / 1_000;
      }
      const duration_s = (worked_ms - began_ms) / 1_000;
      figures.sum_s += duration_s;
      const bucket = BUCKETS_S.findIndex((bound_s) => duration_s <= bound_s);
      if (bucket >= 0) figures.buckets[bucket] = (figures.buckets[bucket] ?? 0) + 1;
      const { slow } = figures;
      const isSlow = slow.length < SLOW_MAX || duration_s > (slow.at(-1)?.duration_s ?? 0);
      if (duration_s >= SLOW_MIN_S && isSlow) {
        const at = now();
        figures.slow = slowestOf([...slow, { route, method, status, duration_s, at }], at);
      }
    },
    take() {
      const taken = routes;
      routes = new Map();
      return taken;
    },
    add(counted) {
      for (const [route, { answers, buckets, sum_s, waits, waited_s, slow }] of counted) {
        const figures = routeOf(route);
        for (const [method, statuses] of answers)
          for (const [status, count] of statuses) countAnswers(figures, method, status, count);
        for (const [i, count] of buckets.entries())
          figures.buckets[i] = (figures.buckets[i] ?? 0) + count;
        figures.sum_s += sum_s;
        figures.waits += waits;
        figures.waited_s += waited_s;
        if (slow.length > 0) figures.slow = slowestOf([...figures.slow, ...slow], now());
      }
    },
    routes: () => routes,
    slowest: (at) =>
      slowestOf(
        [...routes.values()].flatMap(({ slow }) => slow),
        at,
      ),
    async text() {
      register ??= processFigures();
      const [own, samples] = await Promise.all([(await register).metrics(), found()]);
      return [own.trimEnd(), ...linesOf(samples), ...routeLines(routes), ""].join("\n");
    },
    async known() {
      const largest = new Map<string, number>();
      for (const { name, samples } of await found())
        if (samples !== null) {
          const all = typeof samples === "number" ? [samples] : samples.map(([, value]) => value);
          if (all.length > 0) largest.set(name, Math.max(...all));
        }
      return largest;
    },
    failures: () => failuresIn(routes),
  };
}

/** What the library says of the process twice, as gauges that end in `_total`. */
const DOUBLED = ["handles", "requests", "resources"].map((what) => `nodejs_active_${what}_total`);

/**
 * The library is a hundred modules, a tenth of the time to the first answer, so it is loaded with the
 * first scrape. What it counts itself of the process, such as pauses, begins then. It is CommonJS, of
 * which a bundle has no names but the default.
 */
async function processFigures(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = (await import("prom-client")).default;
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of DOUBLED) register.removeSingleMetric(name);
  return register;
}

/** Scrapes share what was asked of the storage within this time. */
const SHARED_MS = 1_000;

/** The answer of a look serves all who ask while it lasts, and for a while after it began. */
function sharedFor<T>(max_ms: number, now_ms: () => number, measure: () => Promise<T>) {
  let known: { readonly at_ms: number; readonly found: Promise<T> } | null = null;
  return (): Promise<T> => {
    const at_ms = now_ms();
    if (known === null || at_ms - known.at_ms >= max_ms) known = { at_ms, found: measure() };
    return known.found;
  };
}

interface Found extends Pick<Measure, "name" | "help"> {
  /** Null where it cannot be had. */
  readonly samples: Samples | null;
}

/** All figures but those of routes. */
async function samplesOf(
  measures: readonly Measure[],
  soon: Looks["soon"],
): Promise<readonly Found[]> {
  const found = await Promise.all(
    measures.map(async (measure) => ({ ...measure, samples: await soon(measure.collect) })),
  );
  const missing = found.filter(({ samples }) => samples === null).length;
  return [...found, { ...MISSING, samples: missing }];
}

/** Those that cannot be had are left out, and counted. */
const linesOf = (found: readonly Found[]): readonly string[] =>
  found.flatMap(({ name, help, samples }) =>
    samples === null ? [] : [...headOf(name, help), ...valuesOf(name, samples)],
  );

const OVERLOADED = 503;

function failuresIn(routes: RoutesFigures): number {
  let failures = 0;
  for (const { answers } of routes.values())
    for (const statuses of answers.values())
      for (const [status, count] of statuses)
        if (status >= 500 && status !== OVERLOADED) failures += count;
  return failures;
}

const MISSING = {
  name: "cairn_figures_missing",
  help: "Figures that this scrape lacks, because the storage did not answer.",
} as const;

const headOf = (name: string, help: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${name.endsWith("_total") ? "counter" : "gauge"}`,
];

const valuesOf = (name: string, samples: Samples): readonly string[] =>
  typeof samples === "number"
    ? [`${name} ${textOf(samples)}`]
    : samples.map(([labels, value]) => `${name}{${pairsOf(labels)}} ${textOf(value)}`);

const pairsOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",");

const textOf = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : `${value}`;

function countAnswers(
  { answers }: RouteFigures,
  method: string,
  status: number,
  count: number,
): void {
  const statuses = answers.get(method) ?? new Map<number, number>();
  if (statuses.size === 0) answers.set(method, statuses);
  statuses.set(status, (statuses.get(status) ?? 0) + count);
}

function* routeLines(routes: RoutesFigures): Generator<string> {
  yield "# HELP cairn_requests_total Answers by route, method and status.";
  yield "# TYPE cairn_requests_total counter";
  for (const [route, { answers }] of routes)
    for (const [method, statuses] of answers)
      for (const [status, count] of statuses)
        yield `cairn_requests_total{route="${route}",method="${method}",status="${status}"} ${count}`;

  yield "# HELP cairn_request_waits_total Requests that waited for news: long polls and streams.";
  yield "# TYPE cairn_request_waits_total counter";
  for (const [route, { waits }] of routes)
    yield `cairn_request_waits_total{route="${route}"} ${waits}`;
  yield "# HELP cairn_request_waited_seconds_total How long they waited.";
  yield "# TYPE cairn_request_waited_seconds_total counter";
  for (const [route, { waited_s }] of routes)
    yield `cairn_request_waited_seconds_total{route="${route}"} ${waited_s}`;

  yield "# HELP cairn_request_duration_seconds Time from a request's head to its answer, or to its wait for news.";
  yield "# TYPE cairn_request_duration_seconds histogram";
  for (const [route, { answers, buckets, sum_s }] of routes) {
    const name = "cairn_request_duration_seconds";
    let below = 0;
    for (const [i, bound_s] of BUCKETS_S.entries()) {
      below += buckets[i] ?? 0;
      yield `${name}_bucket{route="${route}",le="${bound_s}"} ${below}`;
    }
    const counts = [...answers.values()].flatMap((statuses) => [...statuses.values()]);
    const count = counts.reduce((sum, each) => sum + each, 0);
    yield `${name}_bucket{route="${route}",le="+Inf"} ${count}`;
    yield `${name}_sum{route="${route}"} ${sum_s}`;
    yield `${name}_count{route="${route}"} ${count}`;
  }
}
