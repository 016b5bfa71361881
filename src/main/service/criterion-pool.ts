import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { HeavyCheck } from "../../domains/tasks/criterion-check.ts";
import type { Misfit } from "../../domains/tasks/criterion-engines.ts";
import {
  CHECK_MAX_MS,
  CHECKS_WAITING_MAX,
  CHECKS_WAITING_PER_AGENT,
  COMPILE_MAX_MS,
  type Why,
} from "../../domains/tasks/rules.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import { fairPool, type Share } from "../../platform/kernel/pools/fair-pool.ts";
import { semaphore } from "../../platform/kernel/pools/semaphore.ts";
import type { CheckJob, CheckNews } from "./criterion-worker.ts";

/** The thread that runs checks which need a hard stop. */
export interface CriterionPool {
  /**
   * Agents take turns. Rejects with `overloaded` when too many checks of one agent wait. Of all, the holder
   * with most makes room for one with less.
   */
  readonly heavy: HeavyCheck;
  close(): Promise<void>;
}

/** Of all agents of one network. */
const CHECKS_WAITING_PER_NETWORK = CHECKS_WAITING_MAX / 2;

const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 64,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
};

/** The source in a checkout, a bundle in the package. */
const WORKER = new URL(`./criterion-worker${extname(import.meta.url)}`, import.meta.url);

const FULL = new Rejection("overloaded", "Too many checks are waiting; try again soon.");

/** Never asked: the pool has the bounds. */
const onFull = (): never => {
  throw FULL;
};

type Holder = Parameters<HeavyCheck>[0];

/** From the outside in: the /48 of an IPv6 address, the network, the agent. */
const sharesOf = (agent: Holder, sender: Sender | null): readonly Share[] => [
  ...[sender?.site, sender?.network].flatMap((name) =>
    name ? [{ name, max: CHECKS_WAITING_PER_NETWORK }] : [],
  ),
  { name: String(agent), max: CHECKS_WAITING_PER_AGENT },
];

/** Runs one check at a time. In the queue of the turns a check that made room keeps a place without work. */
function turns() {
  const waiting = fairPool(CHECKS_WAITING_MAX);
  const running = semaphore({ slots: 1, waiting_max: Number.POSITIVE_INFINITY, onFull });

  return <T>(agent: Holder, sender: Sender | null, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, fail) => {
      let left: (() => Promise<T>) | null = work;
      const end = () => {
        left = null;
        fail(FULL);
      };
      const claim = waiting.claim(sharesOf(agent, sender), end);
      if (!claim.grow(1)) return end();
      const begin = async () => {
        claim.leave();
        if (left !== null) await left().then(resolve, fail);
      };
      void running.run(begin, { holder: agent });
    });
}

/** A thread that has not begun by then never will. */
const START_MAX_MS = 60_000;

/** A check may take so many times its processor time while the machine is busy with other work. */
const BUSY_FACTOR = 8;

/**
 * One worker, started with the first check and again after each that had to be ended. It keeps no
 * process alive, and takes one check at a time, so whatever is ended is the check that deserves it.
 */
export function criterionPool(): CriterionPool {
  let worker: Worker | null = null;
  const inTurn = turns();

  function start(): Worker {
    const started = new Worker(WORKER, {
      env: {},
      execArgv: [],
      resourceLimits: RESOURCE_LIMITS,
    });
    started.on("error", () => {}); // A running check handles it, too; without one nothing has to.
    started.once("exit", () => {
      if (worker === started) worker = null;
    });
    started.unref();
    return started;
  }

  async function run(job: CheckJob): Promise<Why | Misfit> {
    worker ??= start();
    const current = worker;
    const end = await endOf(current, job);
    if (typeof end === "object") return end.found;
    worker = null;
    await current.terminate();
    return end === "expired" ? "criterion_timeout" : "criterion_error";
  }

  return {
    heavy: (agent, part, payload, sender = null) =>
      inTurn(agent, sender, () => run({ part, payload })),
    async close() {
      await worker?.terminate();
    },
  };
}

type End = { readonly found: Why | Misfit } | "expired" | "crashed";

/**
 * How a check ends: with what the worker finds, when its time is up, or with the worker itself. The
 * processor time of the thread counts, so that a busy machine fails nobody's check.
 */
function endOf(worker: Worker, job: CheckJob): Promise<End> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | null = setTimeout(expire, START_MAX_MS);

    // News that came while this thread was busy is heard before the time is called up.
    function expire(): void {
      const mine = timer;
      setImmediate(() => timer === mine && settle("expired"));
    }

    function allow(limit_ms: number, since: NodeJS.CpuUsage): void {
      const last_ms = performance.now() + BUSY_FACTOR * limit_ms;
      again(limit_ms);

      function again(wait_ms: number): void {
        if (timer !== null) clearTimeout(timer);
        timer = setTimeout(review, wait_ms);
      }

      /** A thread that does not report its use is assumed to be busy. */
      function review(): void {
        const mine = setTimeout(expire, Math.max(0, last_ms - performance.now()));
        timer = mine;
        worker.cpuUsage(since).then(
          ({ user, system }) => {
            const left_ms = limit_ms - (user + system) / 1_000;
            if (timer !== mine) return;
            if (left_ms <= 0 || performance.now() >= last_ms) expire();
            else again(left_ms);
          },
          () => {}, // It has ended, which is heard.
        );
      }
    }

    function hear(news: CheckNews): void {
      if ("found" in news) settle(news);
      else allow(news.now === "compiles" ? COMPILE_MAX_MS : CHECK_MAX_MS, news.used);
    }

    function crash(): void {
      settle("crashed");
    }

    function settle(end: End): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      worker.off("message", hear).off("error", crash).off("exit", crash);
      resolve(end);
    }

    worker.on("message", hear).on("error", crash).on("exit", crash);
    worker.postMessage(job);
  });
}
