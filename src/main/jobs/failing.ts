import { MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import type { Job } from "./jobs.ts";

/** A job that fails, and has not succeeded since. */
export interface FailingJob {
  readonly job: string;
  readonly fails: "as_fault" | "as_warning";
  /** Its first failure after its last success. */
  readonly since: Seconds;
  /** In a row. */
  readonly failures: number;
  /** What the last failure said, on one line. */
  readonly words: string;
}

/** Which jobs fail now. */
export interface FailingJobs {
  succeeded(job: string): void;
  broke(job: Job, error: unknown): void;
  /** How often a job has failed since it last succeeded. */
  failures(job: string): number;
  /** Those that keep failing. */
  lasting(): readonly FailingJob[];
}

/** A job keeps failing after so many failures in a row, or after the second when the first is so old. */
export const FAILURES_MAX = 10;
const FAILING_MAX_S = MINUTE_S;

/** Characters of an error that are repeated. */
const WORDS_MAX = 300;

export function failingJobs(now: () => Seconds): FailingJobs {
  const outages = new Map<string, FailingJob>();
  const isLasting = ({ failures, since }: FailingJob): boolean =>
    failures >= FAILURES_MAX || (failures > 1 && now() - since >= FAILING_MAX_S);
  return {
    succeeded: (job) => void outages.delete(job),
    broke({ name: job, fails }, error) {
      const { since = now(), failures = 0 } = outages.get(job) ?? {};
      const words = wordsOf(error).replace(/[\p{C}\s]+/gu, " ");
      outages.set(job, {
        job,
        since,
        failures: failures + 1,
        fails: fails ?? "as_fault",
        words: words.slice(0, WORDS_MAX).replace(/\.$/, ""),
      });
    },
    failures: (job) => outages.get(job)?.failures ?? 0,
    lasting: () => [...outages.values()].filter(isLasting),
  };
}

/** What an error says, and what its cause says. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // An address with several meanings fails with an error for each, and no message of its own.
  const own = error instanceof AggregateError ? wordsOf(error.errors[0]) : error.message;
  return cause instanceof Error ? `${own} (${wordsOf(cause)})` : own;
}
