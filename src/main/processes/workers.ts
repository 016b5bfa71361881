import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { RoutesFigures } from "../../surfaces/operator/metrics.ts";
import type { Taken } from "../../surfaces/wire/buckets.ts";
import type { CountedRegistrations } from "../../surfaces/wire/rate-limit.ts";
import type { SenderKeys } from "../../surfaces/wire/sender.ts";
import type { FailingJob } from "../jobs/failing.ts";
import type { Finding } from "../jobs/shared.ts";
import { NO_LOAD } from "../listeners/sockets.ts";
import type { Log } from "../log.ts";
import type { Happened } from "../measures/happenings.ts";
import type { Load } from "../measures/traffic.ts";
import type { Configuration } from "../settings/settings.ts";
import type { AskedRegistration, TakenRegistration } from "./registrations.ts";
import { SHARE_EVERY_MS, type Share, sharesOf } from "./shares.ts";

/** What a worker says: what it counted and holds, what was taken of the limits, or that somebody registers. */
export type Report =
  | {
      readonly counted: RoutesFigures;
      readonly happened: Happened;
      readonly load: Load;
      /** Why its storage refuses all writes, in a sentence. */
      readonly refusal: string | null;
      readonly failing: readonly FailingJob[];
    }
  | { readonly taken: readonly Taken[] }
  | AskedRegistration;

/** Messages to a worker. */
export type News = { readonly finding: Finding } | { readonly share: Share } | TakenRegistration;

interface WorkersParts {
  readonly counted: (counted: RoutesFigures) => void;
  readonly happened: (happened: Happened) => void;
  /** Those of this process, which renews them for all. */
  readonly keys: () => SenderKeys;
  /** Counts those of all. */
  readonly registrations: CountedRegistrations;
}

/** A worker that ends is begun again after a pause, which doubles while it ends soon. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 30_000;
const SOON_MS = 60_000;

/** The processes that answer the network for this one. */
export interface Workers {
  /** Resolves when all answer; rejects with a sentence when one of them ends instead. */
  start(): Promise<void>;
  /** Hands on what concerns every answer. */
  readonly tell: (finding: Finding) => void;
  answering(): number;
  /** What the connections of all hold, as they said last. */
  load(): Load;
  /** Why one of them stores nothing, as it said last; null while all do. */
  whyUnstored(): string | null;
  /** Jobs that keep failing in any of them, as it said last. */
  failing(): readonly FailingJob[];
  stop(): Promise<void>;
}

/**
 * Null when one process is to do all. Each worker runs the command of this process once more, and
 * says what it counted and what was taken of the limits. They share the port, the database and the limits.
 */
export function workersOf(
  { workers: count, port }: Configuration,
  log: Log,
  { counted, happened, keys, registrations }: WorkersParts,
): Workers | null {
  if (count === 1) return null;
  // When this process hands out the connections, those for a worker that was just killed wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    args: [...process.argv.slice(2), "--port", String(port)],
    serialization: "advanced",
  });
  const answering = new Set<Worker>();
  const loads = new Map<Worker, Load>();
  const refusals = new Map<Worker, string>();
  const failing = new Map<Worker, readonly FailingJob[]>();
  const violations: Finding["violations"][number][] = [];
  let signing: Pick<Finding, "signer" | "lacks"> | null = null;
  let started = false;
  let stopping = false;
  let pause_ms = PAUSE_MS;
  const shares = sharesOf<Worker>();
  const sharing = setInterval(share, SHARE_EVERY_MS);

  function share(): void {
    for (const [worker, taken] of shares.round(answering))
      send(worker, { share: { keys: keys(), taken } });
  }

  function begin(): Worker {
    const worker = cluster.fork();
    const begun_ms = performance.now();
    worker.on("message", (report: Report) => {
      if ("counted" in report) {
        counted(report.counted);
        happened(report.happened);
        if (worker.isDead()) return;
        loads.set(worker, report.load);
        failing.set(worker, report.failing);
        if (report.refusal === null) refusals.delete(worker);
        else refusals.set(worker, report.refusal);
      } else if ("registration" in report) {
        const { registration, sender } = report;
        send(worker, { registration, wait_s: registrations.take(sender) });
      } else shares.add(worker, report.taken);
    });
    worker.once("listening", () => {
      answering.add(worker);
      send(worker, { share: { keys: keys(), taken: [] } });
      if (signing !== null) send(worker, { finding: { ...signing, violations } });
    });
    worker.once("exit", (code, signal) => {
      answering.delete(worker);
      loads.delete(worker);
      refusals.delete(worker);
      failing.delete(worker);
      if (stopping || !started) return;
      log.error({ code, signal, pause_ms }, "a worker has ended");
      setTimeout(() => stopping || begin(), pause_ms).unref();
      const isSoon = performance.now() - begun_ms < SOON_MS;
      pause_ms = isSoon ? Math.min(pause_ms * 2, PAUSE_MAX_MS) : PAUSE_MS;
    });
    return worker;
  }

  return {
    async start() {
      const begun = Array.from({ length: count }, begin);
      await Promise.all(begun.map(untilListening));
      started = true;
    },
    tell(finding) {
      const { signer, lacks } = finding;
      const isKnown = signer === signing?.signer && lacks === signing.lacks;
      if (isKnown && finding.violations.length === 0) return;
      signing = { signer, lacks };
      violations.push(...finding.violations);
      for (const worker of answering) send(worker, { finding });
    },
    answering: () => answering.size,
    load: () => loads.values().reduce(sum, NO_LOAD),
    whyUnstored: () => refusals.values().next().value ?? null,
    failing: () => [...failing.values()].flat(),
    async stop() {
      stopping = true;
      clearInterval(sharing);
      const left = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      const ended = left.filter((worker) => !worker.isDead()).map(endOf);
      await Promise.all(ended);
    },
  };
}

const sum = (a: Load, b: Load): Load => ({
  connections: a.connections + b.connections,
  unsent_bytes: a.unsent_bytes + b.unsent_bytes,
  waiting_reads: a.waiting_reads + b.waiting_reads,
});

/** A worker that goes away meanwhile is informed again when another takes its place. */
function send(worker: Worker, news: News): void {
  if (worker.isConnected()) worker.send(news, () => {});
}

async function endOf(worker: Worker): Promise<void> {
  const ended = once(worker, "exit");
  worker.process.kill("SIGTERM");
  await ended;
}

/** It has said itself, on standard error, why it could not start. */
function untilListening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("listening", () => resolve());
    worker.once("exit", () => reject(new Error("A worker could not start.")));
  });
}
