import { allCounts } from "../../domains/counters/counts.ts";
import type { Finding } from "../../domains/operator/finding.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { CLOCK_BEHIND_FAULT_S } from "../../platform/ledger/clocks/clock.ts";
import {
  type LedgerHealth,
  ledgerHealth,
  SEQUENCER_LAG_MAX_S,
  sealDelayMax_s,
} from "../../platform/ledger/seals/health.ts";
import { whyBehind, whyUnsigned } from "../../platform/ledger/seals/signing.ts";
import type { AdminParts } from "../../surfaces/operator/admin.ts";
import {
  type Figures,
  figuresOf,
  type Looks,
  type Measure,
} from "../../surfaces/operator/metrics.ts";
import {
  REASON_NAMES,
  type ReasonName,
  type Wrong,
  wrong,
  wrongAs,
} from "../conditions/reasons.ts";
import { FAILURES_MAX, type FailingJob } from "../jobs/failing.ts";
import { coinMeasures } from "../measures/coin.ts";
import type { Happenings } from "../measures/happenings.ts";
import { ledgerMeasures } from "../measures/ledger.ts";
import { machineMeasures } from "../measures/machine.ts";
import { marketMeasures } from "../measures/market.ts";
import { shared, soon } from "../measures/shared.ts";
import { type Load, trafficMeasures } from "../measures/traffic.ts";
import { upkeepMeasures } from "../measures/upkeep.ts";
import type { Service } from "../service/open-service.ts";
import type { Configuration } from "../settings/settings.ts";

/** A probe is answered within this time, whatever the storage does. */
const PROBE_MAX_MS = 2_000;

/** What operators are shown: the pages of their listener, and the counter of requests. */
export interface Watch {
  readonly pages: Omit<AdminParts, "answers" | "names" | "console" | "consoleOrigin">;
  readonly figures: Figures;
  ledger(): Promise<LedgerHealth>;
}

/** How the processes stand that answer the network. */
export interface Standing {
  /** Whatever the storage says; null when traffic may come. */
  whyUnready(): Wrong | null;
  /** Why a worker stores nothing, in a sentence; null while all do, and without workers. */
  whyUnstored(): string | null;
  /** Jobs that keep failing in workers. */
  failing(): readonly FailingJob[];
  answering(): number;
  load(): Load;
}

interface WatchParts {
  readonly configuration: Pick<
    Configuration,
    "dataDir" | "databaseUrl" | "backupDir" | "backupEvery_h"
  >;
  readonly standing: Standing;
  readonly happenings: Pick<Happenings, "measures" | "failing" | "logFault">;
  /** What a probe has. */
  readonly probeMax_ms?: number;
}

export function watchOf(
  service: Service,
  { configuration, standing, happenings, probeMax_ms = PROBE_MAX_MS }: WatchParts,
): Watch {
  const { store, clock } = service;
  const measure = ledgerHealth();
  const ledger = shared(() => measure({ read: store.probe, clock }));
  const storage = shared(store.health);
  const counts = shared(() => allCounts(store.probe));
  const since = sinceOf(clock.now);
  /** A rehearsal neither seals nor signs. */
  const isMeant = (name: string) =>
    service.rehearsal !== null && (name === "seal" || name === "signer");
  const failing = () => failingOf([...happenings.failing(), ...standing.failing()]);

  const unhealthy = async () => {
    const found = await soon(ledger, probeMax_ms);
    const faults = since("health", [
      ...ownFaults(service),
      named("log", happenings.logFault(), (fault) => wrong("log", fault)),
      ...(found === null ? [wrong("silent")] : ledgerFaults(found, service)),
    ]);
    return [...faults.filter(({ name }) => !isMeant(name)), ...failing()];
  };
  const unready = async () => {
    const reason = standing.whyUnready();
    if (reason !== null) return since("readiness", [reason]);
    const found = await soon(storage, probeMax_ms);
    const faults = since("readiness", [
      whyLeaps(clock),
      named("writes", service.whyRefused()),
      found === null ? wrong("silent") : named("storage", found.refusal ?? standing.whyUnstored()),
    ]);
    // Requests need no job: a proxy that took this process away for one would only lose its answers.
    const warnings = failing().map((finding) => ({ ...finding, state: "warning" as const }));
    return [...faults, ...warnings];
  };
  const engine = configuration.databaseUrl === null ? "sqlite" : "postgres";
  const looks = figureLooks(probeMax_ms);
  const measures = [
    ...healthMeasures(unhealthy, unready),
    ...ledgerMeasures(service, ledger, counts),
    ...trafficMeasures(service, standing.load, counts),
    ...coinMeasures(service),
    ...marketMeasures({ read: store.probe, clock, settings: service.context.settings }),
    ...machineMeasures(service, { ...standing, engine, counts }),
    ...upkeepMeasures({ read: store.probe, now: store.now, space: store.room, configuration }),
    ...happenings.measures,
  ];
  const figures = figuresOf(measures, looks);
  return { figures, ledger, pages: { metrics: figures.text, unhealthy, unready } };
}

/** Figures are asked for with the patience of a probe. */
export const figureLooks = (max_ms = PROBE_MAX_MS): Looks => ({
  now_ms: () => performance.now(),
  now: () => Math.floor(Date.now() / 1_000),
  soon: (measure) => soon(measure, max_ms),
});

const isWell = (findings: readonly Finding[]): boolean =>
  findings.every(({ state }) => state === "warning");

/** What both probes say, as figures. */
function healthMeasures(
  unhealthy: () => Promise<readonly Finding[]>,
  unready: () => Promise<readonly Finding[]>,
): Measure[] {
  const all = shared(() => Promise.all([unhealthy(), unready()]));
  return [
    {
      name: "cairn_healthy",
      help: "1 while /healthz says yes.",
      collect: async () => (isWell((await all())[0]) ? 1 : 0),
    },
    {
      name: "cairn_ready",
      help: "1 while /readyz says yes.",
      collect: async () => (isWell((await all())[1]) ? 1 : 0),
    },
    {
      name: "cairn_health_finding",
      help: "1 for each thing that /healthz or /readyz finds wrong.",
      async collect() {
        const found = new Set((await all()).flat().map(({ name }) => name));
        return REASON_NAMES.map((name) => [{ name }, found.has(name) ? 1 : 0]);
      },
    },
  ];
}

/** Each sentence once, as a fault, with the time since when this process has found it. */
function sinceOf(
  now: () => Seconds,
): (probe: string, found: readonly (Wrong | null)[]) => readonly Finding[] {
  const known = new Map<string, ReadonlyMap<string, Seconds>>();
  return (probe, found) => {
    const faults = found.filter((each) => each !== null);
    const bySentence = new Map(faults.map((each) => [each.sentence, each]));
    const before = known.get(probe);
    const findings = [...bySentence.values()].map((each) => {
      return { ...each, state: "fault" as const, since: before?.get(each.name) ?? now() };
    });
    known.set(probe, new Map(findings.map(({ name, since }) => [name, since])));
    return findings;
  };
}

/** A sentence that another part says, where it says one. */
const named = (
  name: ReasonName,
  sentence: string | null,
  as: (sentence: string) => Wrong = (said) => wrongAs(name, said),
): Wrong | null => (sentence === null ? null : as(sentence));

const whyLeaps = (clock: Service["clock"]): Wrong | null =>
  clock.leaps() ? wrong("leaps", clock.beyond_days()) : null;

/** What this process knows without asking the storage. */
const ownFaults = ({ clock, signing }: Service): readonly (Wrong | null)[] => [
  whyLeaps(clock),
  clock.behind_s() > CLOCK_BEHIND_FAULT_S ? wrong("behind", clock.behind_s()) : null,
  named("signer", whyBehind(signing)),
  named("signer", whyUnsigned(signing, clock.now())),
];

/** Each job once, also where it fails in several processes: as the one says that failed the most often. */
function failingOf(failing: readonly FailingJob[]): readonly Finding[] {
  const rising = failing.toSorted((a, b) => a.failures - b.failures);
  const worst = new Map(rising.map((each) => [each.job, each])).values();
  return [...worst].map(({ job, fails, since, failures, words }) => ({
    ...wrong("job", job, failures, words),
    state: fails === "as_fault" && failures >= FAILURES_MAX ? "fault" : "warning",
    since,
  }));
}

function ledgerFaults(ledger: LedgerHealth, { context, clock }: Service): readonly Wrong[] {
  const faults: Wrong[] = [];
  if (ledger.sequencer_lag_s > SEQUENCER_LAG_MAX_S)
    faults.push(wrong("sequencer", ledger.sequencer_lag_s));
  // While the clock leaps nothing is sealed, and no age is true.
  const sealDelay_s = sealDelayMax_s(context.settings.sealInterval_s);
  if (ledger.seal_delay_s > sealDelay_s && !clock.leaps())
    faults.push(wrong("seal", ledger.seal_delay_s));
  if (ledger.first_broken_seq !== null) faults.push(wrong("broken", ledger.first_broken_seq));
  return faults;
}
