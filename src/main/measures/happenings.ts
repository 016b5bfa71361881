import { ALARMS, type AlarmName } from "../../platform/kernel/alarms.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import { type FailingJob, failingJobs } from "../jobs/failing.ts";
import type { JobWatch } from "../jobs/jobs.ts";
import type { Log } from "../log.ts";

type Runs = Record<"ok" | "failed", number>;

/** Alarms raised and results of jobs: since the start, or since the last `take`. */
export interface Happened {
  readonly alarms: ReadonlyMap<AlarmName, number>;
  readonly jobs: ReadonlyMap<string, Readonly<Runs> & { readonly succeeded_at: Seconds }>;
  /** Lines that the log of the process did not take. */
  readonly lines: number;
}

/** Runs of a job since the start. */
interface JobState {
  readonly job: string;
  readonly succeeded_at: Seconds | null;
  readonly ok: number;
  readonly failed: number;
  /** How often it has failed since it last succeeded. */
  readonly in_a_row: number;
}

/** Counts alarms and runs of jobs. */
export interface Happenings extends Pick<JobWatch, "succeeded" | "broke"> {
  alarmed(name: AlarmName): void;
  /** How often each alarm was raised since the start. */
  alarms(): ReadonlyMap<AlarmName, number>;
  /** Jobs that keep failing; one whose next run succeeds is none any more. */
  failing(): readonly FailingJob[];
  /** How each job of this service fares, by name. */
  jobs(): readonly JobState[];
  /** All that was counted since the last time, for another process to `add`. */
  take(): Happened;
  add(happened: Happened): void;
  /** Why the log of a process drops lines now; null while all are written. */
  logFault(): string | null;
  readonly measures: readonly Measure[];
}

/** Workers report what they dropped each second. A log that dropped a line for so long ago is well. */
const LOG_FAULT_S = 10;

export function happeningsOf(
  now: () => Seconds,
  log: Pick<Log, "dropped" | "fault"> = { dropped: () => 0, fault: () => null },
): Happenings {
  let alarms = new Map<AlarmName, number>();
  let jobs = new Map<string, Runs & { succeeded_at: Seconds }>();
  const failing = failingJobs(now);
  let [taken, ofOthers] = [0, 0];
  let othersDropped_at = Number.NEGATIVE_INFINITY;
  const jobNamed = (name: string) => {
    const known = jobs.get(name) ?? { ok: 0, failed: 0, succeeded_at: 0 };
    jobs.set(name, known);
    return known;
  };
  const addAlarms = (name: AlarmName, n: number) =>
    void alarms.set(name, (alarms.get(name) ?? 0) + n);

  return {
    alarmed: (name) => addAlarms(name, 1),
    succeeded({ name }) {
      const job = jobNamed(name);
      job.ok++;
      job.succeeded_at = now();
      failing.succeeded(name);
    },
    broke(job, error) {
      jobNamed(job.name).failed++;
      failing.broke(job, error);
    },
    alarms: () => alarms,
    failing: failing.lasting,
    jobs: () =>
      [...jobs]
        .map(([job, { ok, failed, succeeded_at }]) => ({
          job,
          ok,
          failed,
          in_a_row: failing.failures(job),
          succeeded_at: succeeded_at === 0 ? null : succeeded_at,
        }))
        .sort((a, b) => (a.job < b.job ? -1 : 1)),
    take() {
      const happened = { alarms, jobs, lines: log.dropped() - taken };
      [alarms, jobs, taken] = [new Map(), new Map(), log.dropped()];
      return happened;
    },
    add(happened) {
      ofOthers += happened.lines;
      if (happened.lines > 0) othersDropped_at = now();
      for (const [name, n] of happened.alarms) addAlarms(name, n);
      for (const [name, { ok, failed, succeeded_at }] of happened.jobs) {
        const job = jobNamed(name);
        job.ok += ok;
        job.failed += failed;
        job.succeeded_at = Math.max(job.succeeded_at, succeeded_at);
      }
    },
    logFault: () =>
      log.fault() ?? (now() - othersDropped_at <= LOG_FAULT_S ? "a worker drops lines" : null),
    measures: [
      {
        name: "cairn_log_lines_dropped_total",
        help: "Lines that the log could not write since the start.",
        collect: () => log.dropped() + ofOthers,
      },
      {
        name: "cairn_alarms_total",
        help: "Alarms that were raised since the start.",
        collect: () => ALARMS.map((name) => [{ name }, alarms.get(name) ?? 0]),
      },
      {
        name: "cairn_job_runs_total",
        help: "Runs of background jobs since the start, by result.",
        collect: () =>
          [...jobs].flatMap(([name, { ok, failed }]) => [
            [{ name, result: "ok" }, ok],
            [{ name, result: "failed" }, failed],
          ]),
      },
      {
        name: "cairn_job_failures_in_a_row",
        help: "How often a background job has failed since it last succeeded.",
        collect: () => [...jobs.keys()].map((name) => [{ name }, failing.failures(name)]),
      },
      {
        name: "cairn_job_last_success_timestamp_seconds",
        help: "When a run of a background job succeeded last; 0 before the first.",
        collect: () => [...jobs].map(([name, { succeeded_at }]) => [{ name }, succeeded_at]),
      },
    ],
  };
}
