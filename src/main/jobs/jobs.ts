/** A piece of work that comes back by itself, and is harmless when two nodes do it at once. */
export interface Job {
  readonly name: string;
  readonly every_ms: number;
  /** Of one that only shows things: however often it fails, the service is healthy without it. */
  readonly fails?: "as_warning";
  run(): Promise<unknown>;
}

export interface RunningJobs {
  /** Begins no more runs and waits for those under way. */
  stop(): Promise<void>;
}

/** The receiver of failures, and the clock that measures them. */
export interface JobWatch {
  /** The first failure, and those at 1, 5 and 30 minutes of an outage and each 30 after: `failures` so far. */
  failed(job: string, error: unknown, failures: number): void;
  /** A run has succeeded after so many failures. */
  works(job: string, failures: number): void;
  /** A run has ended well. */
  succeeded(job: Job): void;
  /** Each run that has failed. */
  broke(job: Job, error: unknown): void;
  /** Steady milliseconds. */
  readonly now_ms: () => number;
}

/** When a lasting failure is reported again, counted from its first. */
const TOLD_AGAIN_MS = [60_000, 300_000, 1_800_000];
const TOLD_EVERY_MS = 1_800_000;

/**
 * Runs every job at once and then in its rhythm. A failing run is reported and does not end the job; one
 * that was cut short by `stop` has not failed.
 */
export function startJobs(jobs: readonly Job[], watch: JobWatch): RunningJobs {
  let stopped = false;
  const timers = new Map<Job, NodeJS.Timeout>();
  const running = new Map<Job, Promise<void>>();
  const outages = outagesOf(watch);

  async function run(job: Job): Promise<void> {
    try {
      await job.run();
      watch.succeeded(job);
      outages.end(job.name);
    } catch (error) {
      if (stopped && isAbort(error)) return;
      watch.broke(job, error);
      outages.failed(job.name, error);
    }
    if (!stopped) timers.set(job, setTimeout(begin, job.every_ms, job));
  }

  function begin(job: Job): void {
    running.set(job, run(job));
  }

  jobs.forEach(begin);
  return {
    async stop() {
      stopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}

interface Outage {
  readonly began_ms: number;
  failures: number;
  /** How often it was reported. */
  reports: number;
}

/** Tells a few of the failures of each job: an outage would fill the log with one a second. */
function outagesOf({ failed, works, now_ms }: JobWatch) {
  const outages = new Map<string, Outage>();
  return {
    failed(job: string, error: unknown): void {
      const outage = outages.get(job) ?? { began_ms: now_ms(), failures: 0, reports: 0 };
      outages.set(job, outage);
      outage.failures++;
      if (now_ms() - outage.began_ms < dueAfter_ms(outage.reports)) return;
      outage.reports++;
      failed(job, error, outage.failures);
    },
    end(job: string): void {
      const failures = outages.get(job)?.failures;
      if (failures === undefined) return;
      outages.delete(job);
      works(job, failures);
    },
  };
}

/** How long an outage has lasted when its next report is due, after so many `reports`. */
function dueAfter_ms(reports: number): number {
  if (reports === 0) return 0;
  return TOLD_AGAIN_MS[reports - 1] ?? (reports - TOLD_AGAIN_MS.length + 1) * TOLD_EVERY_MS;
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
