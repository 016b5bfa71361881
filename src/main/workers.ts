import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { RoutesFigures } from "../surfaces/figures.ts";
import type { Finding } from "./duties.ts";
import type { Log } from "./log.ts";
import type { Configuration } from "./settings.ts";

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
  stop(): Promise<void>;
}

/**
 * Null when one process is to do all. Each worker runs the command of this process once more, and
 * says every second what it counted. They share nothing but the port and the database.
 */
export function workersOf(
  { workers: count, port }: Configuration,
  log: Log,
  onCounted: (counted: RoutesFigures) => void,
): Workers | null {
  if (count === 1) return null;
  // When this process hands out the connections, those for a worker that was just killed wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    args: [...process.argv.slice(2), "--port", String(port)],
    serialization: "advanced",
  });
  const answering = new Set<Worker>();
  const violations: Finding["violations"][number][] = [];
  let signer: Finding["signer"] | null = null;
  let started = false;
  let stopping = false;
  let pause_ms = PAUSE_MS;

  function begin(): Worker {
    const worker = cluster.fork();
    const begun_ms = performance.now();
    worker.on("message", onCounted);
    worker.once("listening", () => {
      answering.add(worker);
      if (signer !== null) send(worker, { signer, violations });
    });
    worker.once("exit", (code, signal) => {
      answering.delete(worker);
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
      if (finding.signer === signer && finding.violations.length === 0) return;
      signer = finding.signer;
      violations.push(...finding.violations);
      for (const worker of answering) send(worker, finding);
    },
    answering: () => answering.size,
    async stop() {
      stopping = true;
      const left = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      const ended = left.filter((worker) => !worker.isDead()).map(endOf);
      await Promise.all(ended);
    },
  };
}

/** A worker that goes away meanwhile is told again when another takes its place. */
function send(worker: Worker, finding: Finding): void {
  if (worker.isConnected()) worker.send(finding, () => {});
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
