/** A piece of work that comes back by itself, and is harmless when two nodes do it at once. */
export interface Job {
  readonly name: string;
  readonly every_ms: number;
  run(): Promise<unknown>;
}

export interface RunningJobs {
  /** Begins no more runs and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Runs every job at once and then in its rhythm. A failing run is told and does not end the job; one
 * that was cut short by `stop` has not failed.
 */
export function startJobs(
  jobs: readonly Job[],
  onFailure: (job: string, error: unknown) => void,
): RunningJobs {
  let stopped = false;
  const timers = new Map<Job, NodeJS.Timeout>();
  const running = new Map<Job, Promise<void>>();

  async function run(job: Job): Promise<void> {
    try {
      await job.run();
    } catch (error) {
      if (!stopped || !isAbort(error)) onFailure(job.name, error);
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

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";
