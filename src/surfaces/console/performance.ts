import type { Column, Row } from "../../domains/operator/look.ts";
import { html } from "../../platform/kernel/html.ts";
import type { Page, RoutePace } from "./parts.ts";
import { ageOf, bytesOf, card, numbered, tableOf } from "./view.ts";

const ROUTES_MAX = 25;

/** Latencies are read off buckets: at most this. */
const upTo = (seconds: number | null): string =>
  seconds === null ? "over 30 s" : `≤ ${shownSeconds(seconds)}`;

const shownSeconds = (seconds: number): string =>
  seconds < 1
    ? `${(seconds * 1_000).toLocaleString("en", { maximumFractionDigits: 1 })} ms`
    : `${seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s`;

const ROUTES: readonly Column[] = [
  { key: "route", title: "route", as: "word" },
  { key: "rate", title: "a second", as: "word" },
  { key: "p50", title: "half within", as: "word" },
  { key: "p99", title: "99 % within", as: "word" },
  { key: "mean", title: "mean", as: "word" },
  { key: "share", title: "of all time", as: "word" },
  { key: "errors", title: "5xx", as: "number" },
];

const SLOWEST: readonly Column[] = [
  { key: "at", title: "when", as: "time" },
  { key: "took", title: "took", as: "word" },
  { key: "method", title: "method", as: "word" },
  { key: "route", title: "route", as: "word" },
  { key: "status", title: "status", as: "number" },
];

const rowOf =
  (span_s: number, whole_s: number) =>
  ({ route, requests, errors, sum_s, mean_s, p50_s, p99_s }: RoutePace): Row => ({
    route,
    errors,
    rate: (requests / span_s).toFixed(2),
    p50: upTo(p50_s),
    p99: upTo(p99_s),
    mean: mean_s === null ? "–" : shownSeconds(mean_s),
    share: `${Math.round((100 * sum_s) / Math.max(whole_s, 1e-9))} %`,
  });

/** The service's own figures of what waits, where it has them. */
const WAITING = [
  ["cairn_waiting_writes", "writes wait for their turn"],
  ["cairn_waiting_reads", "readers wait for news"],
  ["cairn_connections", "open connections"],
  ["cairn_sequencer_lag_seconds", "seconds that the oldest entry waits for its id"],
  ["cairn_seal_delay_seconds", "seconds that the oldest entry waits for its seal"],
] as const;

/** Why it is slow: the pace of each route without the time that it waits on purpose, and what stands in the way. */
export const performance: Page = async ({ context, watch }) => {
  const [{ span_s, routes, slowest, ...process }, known] = await Promise.all([
    watch.performance(),
    watch.figures(),
  ]);
  const [requests, errors, whole_s] = routes.reduce(
    ([n, failed, sum], each) => [n + each.requests, failed + each.errors, sum + each.sum_s],
    [0, 0, 0],
  );
  const now = context.clock.now();
  const waiting = WAITING.flatMap(([name, words]) => {
    const value = known.get(name);
    return value === undefined ? [] : card(numbered(Math.round(value)), words);
  });
  const list = { name: "", title: "", columns: ROUTES };
  const rows = routes.slice(0, ROUTES_MAX).map(rowOf(span_s, whole_s));
  const slow = slowest.map(({ at, duration_s, method, route, status }) => {
    return { at, took: shownSeconds(duration_s), method, route, status };
  });
  return html`<div data-reload><p>The last ${ageOf(span_s)}. Time that a request waits for news on purpose does not count.</p>
<ul class="cards">${[
    card((requests / span_s).toFixed(1), "requests a second"),
    card(numbered(errors), "answers with 5xx"),
    card(`${(100 * process.cpu_share).toFixed(0)} %`, "of a processor, by this process"),
    card(`${process.loop_p99_ms.toFixed(0)} ms`, "pause of the event loop, 99 % within"),
    card(bytesOf(process.resident_bytes), "memory of this process"),
    ...waiting,
  ]}</ul>
<h2>Routes, by the time that they take</h2>${tableOf({ ...list, rows }, "Routes", now)}
<h2>The slowest requests of the last hour</h2>${tableOf({ ...list, columns: SLOWEST, rows: slow }, "Slowest requests", now)}</div>`;
};
