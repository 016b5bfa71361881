import { probeStorage } from "../../domains/operator/samples/probe.ts";
import { clockAccepted } from "../../platform/ledger/seals/notice-queries.ts";
import { readNotice } from "../../platform/ledger/seals/signing.ts";
import type { Figures } from "../../surfaces/operator/metrics.ts";
import type { Observer } from "../../surfaces/wire/answer.ts";
import type { Log } from "../log.ts";
import type { Service } from "../service/open-service.ts";
import type { Job, JobWatch } from "./jobs.ts";
import { apartFromNano_s, NANO_APART_MAX_S } from "./nano-time.ts";
import { replicaWatch } from "./replica-lag.ts";

const PRESENCE_EVERY_MS = 5_000;
const POOL_EVERY_MS = 1_000;
const CHAIN_EVERY_MS = 60_000;
/** Two looks within the time in which health has to report what is missing. */
const NOTICE_EVERY_MS = 1_000;
const REPLICA_EVERY_MS = 1_000;
const PAUSE_EVERY_MS = 1_000;
const CLOCK_EVERY_MS = 1_000;
const PROBE_EVERY_MS = 1_000;
const LIMITS_EVERY_MS = 60_000;

/** A service that answers. */
export interface Served {
  /** The address that clients use. */
  readonly baseUrl: string;
  readonly origin: string;
  /** Resolves to the fault when the storage may have lost a write, and the process has to end. */
  readonly lost: Promise<unknown>;
  /** Drains what runs, ends the jobs, lets go of the storage. Takes at most about 10 s. */
  stop(): Promise<void>;
}

/** What each process that answers does for itself: it keeps and remembers things of its own. */
export function perProcessJobs(service: Service): Job[] {
  const { upkeep, rewardPool, presence, occurrences, limits, pauses, quota, own } = service;
  return [
    {
      name: "presence",
      every_ms: PRESENCE_EVERY_MS,
      fails: "as_warning",
      run: () => presence.flush(upkeep),
    },
    {
      name: "occurrences",
      every_ms: PRESENCE_EVERY_MS,
      fails: "as_warning",
      run: () => occurrences.flush(upkeep),
    },
    { name: "quota", every_ms: PRESENCE_EVERY_MS, run: () => quota.flush(upkeep) },
    {
      name: "coin_pool",
      every_ms: POOL_EVERY_MS,
      run: () => rewardPool.refresh(upkeep.read, upkeep.clock.now()),
    },
    {
      name: "registration_pause",
      every_ms: PAUSE_EVERY_MS,
      run: () => pauses.refresh(upkeep.read),
    },
    { name: "clock", every_ms: CLOCK_EVERY_MS, run: () => service.recordClock(upkeep) },
    { name: "storage_probe", every_ms: PROBE_EVERY_MS, run: () => probeInDoubt(service) },
    { name: "limits", every_ms: LIMITS_EVERY_MS, run: limits.sweep },
    { name: "own_accounts", every_ms: CHAIN_EVERY_MS, run: () => own.refresh(upkeep.read) },
    { name: "notices", every_ms: NOTICE_EVERY_MS, run: () => readNotices(service) },
    ...replicaJobs(service.store),
    ...nodeJobs(service),
  ];
}

/** Nobody else writes while a balancer keeps requests away, so the service asks by itself whether it can again. */
async function probeInDoubt({ upkeep, writeWatch }: Service): Promise<void> {
  if (!writeWatch.isInDoubt()) return;
  await probeStorage(upkeep);
  writeWatch.probed();
}

/** Public reads are asked of a replica only while it follows. */
function replicaJobs(store: Service["store"]): readonly Job[] {
  if (store.replica === null) return [];
  const refresh = replicaWatch(() => performance.now());
  return [{ name: "replica", every_ms: REPLICA_EVERY_MS, run: () => refresh(store) }];
}

/** Reads what other processes have said: the signer, and the operator of a clock that has jumped. */
export async function readNotices({ store, signing, steady, clock }: Service): Promise<void> {
  signing.notice = await readNotice(store.read);
  if (!steady.isHeld() && !clock.leaps()) return;
  const accepted = await clockAccepted.first(store.read, {});
  if (accepted === undefined) return;
  steady.accept(accepted.at);
  clock.accept(accepted.at);
}

/** Looks whether the nodes are on the right network and not behind, and whether their time is the network's. */
function nodeJobs({
  chain: { chain },
  clock,
  alarm,
}: Pick<Service, "chain" | "clock" | "alarm">): readonly Job[] {
  if (chain === null) return [];
  let isTold = false;
  const run = async () => {
    await chain.check();
    const apart_s = apartFromNano_s(chain.health(), clock);
    const isApart = apart_s !== null && Math.abs(apart_s) > NANO_APART_MAX_S;
    if (isApart && !isTold) alarm("clocks_apart", { apart_s, from: "nano" });
    isTold = isApart;
  };
  return [{ name: "chain", every_ms: CHAIN_EVERY_MS, run }];
}

/** Sees all answers of this process. */
export const observerOf = (
  log: Log,
  figures: Pick<Figures, "count">,
  asked: () => void = () => {},
): Observer => ({
  now_ms: () => performance.now(),
  failed: log.failed,
  answered(answer) {
    asked();
    figures.count(answer);
    log.answered(answer);
  },
});

/** Logs the failures of this process's jobs. */
export const jobWatchOf = (
  log: Log,
  { succeeded, broke }: Pick<JobWatch, "succeeded" | "broke">,
): JobWatch => ({
  succeeded,
  broke,
  failed: log.jobFailed,
  works: log.jobWorks,
  now_ms: () => performance.now(),
});

/** Minutes of presence and seconds of counts are not worth a wait. */
export async function closeService({
  upkeep,
  presence,
  occurrences,
  quota,
  close,
}: Service): Promise<void> {
  await presence.flush(upkeep).catch(() => {});
  await occurrences.flush(upkeep).catch(() => {});
  await quota.flush(upkeep).catch(() => {});
  await close();
}
