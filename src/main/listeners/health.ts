import { setTimeout } from "node:timers/promises";
import { poolNow } from "../../coin/overview.ts";
import type { Occurrence } from "../../context.ts";
import { happened } from "../../counters/occurrences.ts";
import { registrationsLastHour } from "../../identity/registrations.ts";
import {
  type LedgerHealth,
  ledgerHealth,
  SEQUENCER_LAG_MAX_S,
  sealDelayMax_s,
} from "../../ledger/health.ts";
import { SIGNER_STATES, whyBehind, whyUnsigned } from "../../ledger/signing.ts";
import { marketCounters } from "../../market/payouts/payables.ts";
import type { AdminParts } from "../../surfaces/operator/admin.ts";
import { type Figures, figuresOf, type Measure } from "../../surfaces/operator/metrics.ts";
import { refusedSamples } from "../../transfers/rates.ts";
import type { Service } from "../service/open-service.ts";
import { marketMeasures } from "./market-measures.ts";
import type { Load } from "./sockets.ts";

/** A probe is answered within this time, whatever the storage does. */
const PROBE_MAX_MS = 2_000;

const NO_ANSWER = "The storage does not answer.";

/** What operators are shown: the pages of their listener, and the counter of requests. */
export interface Watch {
  readonly pages: Omit<AdminParts, "answers" | "host" | "console">;
  readonly figures: Figures;
  ledger(): Promise<LedgerHealth>;
}

/** How the processes stand that answer the network. */
interface Standing {
  /** A sentence, whatever the storage says; null when traffic may come. */
  whyUnready(): string | null;
  answering(): number;
  load(): Load;
}

/** `probeMax_ms` is what a probe has. */
export function watchOf(
  service: Service,
  { whyUnready, answering, load }: Standing,
  probeMax_ms = PROBE_MAX_MS,
): Watch {
  const { store, clock, signing } = service;
  const look = ledgerHealth();
  const ledger = shared(() => look({ read: store.probe, clock }));
  const storage = shared(store.health);
  const figures = figuresOf([
    ...ledgerMeasures(ledger),
    ...processMeasures(service),
    ...loadMeasures(load),
    ...countedMeasures(service),
    rateMeasure(service),
    ...rewardMeasures(service),
    ...marketMeasures(shared(() => marketCounters(store.probe, service.context))),
    ...diskMeasures(service),
    { name: "cairn_workers", help: "Processes that answer the network.", collect: answering },
  ]);
  return {
    figures,
    ledger,
    pages: {
      metrics: figures.text,
      async unhealthy() {
        const found = await soon(ledger(), probeMax_ms);
        return reasons(
          whyLeaps(clock),
          whyBehind(signing),
          whyUnsigned(signing, clock.now()),
          ...(found === null ? [NO_ANSWER] : complaintsOf(found, service)),
        );
      },
      async unready() {
        const reason = whyUnready();
        if (reason !== null) return [reason];
        const found = await soon(storage(), probeMax_ms);
        const refusal = found === null ? NO_ANSWER : found.refusal;
        return reasons(whyLeaps(clock), service.whyRefused(), refusal);
      },
    },
  };
}

/** Each once. */
const reasons = (...found: readonly (string | null)[]): string[] => [
  ...new Set(found.filter((reason) => reason !== null)),
];

/** One look for all who ask while it lasts. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= look().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Null when the storage fails to answer, or does not within this time. */
async function soon<T>(look: Promise<T>, max_ms: number): Promise<T | null> {
  const enough = new AbortController();
  const late = setTimeout(max_ms, null, { signal: enough.signal }).catch(() => null);
  try {
    return await Promise.race([look, late]);
  } catch {
    return null;
  } finally {
    enough.abort();
  }
}

const whyLeaps = (clock: Service["clock"]): string | null =>
  clock.leaps() ? `The clock is ${clock.beyond_days()} days beyond the last entry.` : null;

function complaintsOf(ledger: LedgerHealth, { context, clock }: Service): string[] {
  const complaints: string[] = [];
  if (ledger.sequencer_lag_s > SEQUENCER_LAG_MAX_S) {
    complaints.push(`An entry has waited ${ledger.sequencer_lag_s} s for its id.`);
  }
  // While the clock leaps nothing is sealed, and no age is true.
  const sealDelay_s = sealDelayMax_s(context.settings.sealInterval_s);
  if (ledger.seal_delay_s > sealDelay_s && !clock.leaps()) {
    complaints.push(`An entry has waited ${ledger.seal_delay_s} s for its seal.`);
  }
  if (ledger.first_broken_seq !== null) {
    complaints.push(`The chain is broken at seal ${ledger.first_broken_seq}.`);
  }
  return complaints;
}

function ledgerMeasures(ledger: () => Promise<LedgerHealth>): Measure[] {
  const measure = (
    name: Measure["name"],
    help: string,
    of: (health: LedgerHealth) => number,
  ): Measure => ({ name, help, collect: async () => of(await ledger()) });
  return [
    measure("cairn_ledger_entries", "Entries with an id.", ({ entries }) => entries),
    measure("cairn_seals", "Seals made.", ({ seals }) => seals),
    measure(
      "cairn_unsigned_seals",
      "Seals without a signature.",
      ({ unsigned_seqs }) => unsigned_seqs,
    ),
    measure(
      "cairn_sequencer_lag_seconds",
      "Age of the oldest entry without an id.",
      ({ sequencer_lag_s }) => sequencer_lag_s,
    ),
    measure(
      "cairn_seal_delay_seconds",
      "Age of the oldest entry without a seal.",
      ({ seal_delay_s }) => seal_delay_s,
    ),
    measure(
      "cairn_ledger_violations",
      "1 when the last check found the chain broken.",
      ({ first_broken_seq }) => (first_broken_seq === null ? 0 : 1),
    ),
  ];
}

const rateMeasure = ({ store }: Service): Measure => ({
  name: "cairn_rate_samples_refused",
  help: "Prices of the rate source that were out of bounds.",
  collect: () => refusedSamples(store.probe),
});

/** Without a grant in seven days the pool lasts for ever. */
function rewardMeasures({ context, books }: Service): Measure[] {
  const { read, clock, occurrences } = context;
  const pool = () => poolNow(read, books.rewardPool(), clock.now());
  const counted = (what: Occurrence) => happened({ read, occurrences }, what);
  return [
    {
      name: "cairn_reward_pool_days_left",
      help: "Days for which the reward pool lasts at the pace of the last seven.",
      collect: async () => (await pool()).reward_pool_days_left ?? Number.POSITIVE_INFINITY,
    },
    {
      name: "cairn_rewards_last_24h",
      help: "Rewards granted in this clock hour and the 23 before it.",
      collect: async () => (await pool()).rewards_last_24h,
    },
    {
      name: "cairn_rewards_this_hour",
      help: "Rewards granted in this clock hour.",
      collect: async () => (await pool()).rewards_this_hour,
    },
    {
      name: "cairn_rewards_per_hour_max",
      help: "The number of rewards an hour that was announced; 0: there is none.",
      collect: () => books.pace.perHour() ?? 0,
    },
    {
      name: "cairn_rewards_braked",
      help: "Acts that earned nothing because of that number.",
      collect: () => counted("reward_braked"),
    },
    {
      name: "cairn_messages_refused",
      help: "Messages that a recipient had no room for, or had blocked the sender of.",
      collect: () => counted("message_refused"),
    },
  ];
}

/** The disk under a database that is a file; 0 where it is another server's. */
const diskMeasures = ({ store, quota }: Service): Measure[] => [
  {
    name: "cairn_sqlite_free_pages",
    help: "Pages of the database file that hold nothing.",
    collect: () => store.room()?.free_pages ?? 0,
  },
  {
    name: "cairn_disk_days_left",
    help: "Days that the disk lasts at the pace of today.",
    collect: () => quota.daysLeft() ?? 0,
  },
];

const loadMeasures = (load: Standing["load"]): Measure[] => [
  {
    name: "cairn_connections",
    help: "Open connections of the network's listener.",
    collect: () => load().connections,
  },
  {
    name: "cairn_unsent_bytes",
    help: "Bytes of answers that clients have not read.",
    collect: () => load().unsent_bytes,
  },
  {
    name: "cairn_waiting_reads",
    help: "Readers of /since that wait for an entry.",
    collect: () => load().waiting_reads,
  },
];

/** What `/protection` counts of connections, waits and limits. */
function countedMeasures({ store, clock, occurrences }: Service): Measure[] {
  const measure = (name: Measure["name"], help: string, what: Occurrence): Measure => ({
    name,
    help,
    collect: () => happened({ read: store.probe, occurrences }, what),
  });
  return [
    measure(
      "cairn_connections_closed_slow",
      "Connections closed because their answers were not read.",
      "connection_closed_slow",
    ),
    measure(
      "cairn_connections_refused",
      "Connections closed because their address had too many.",
      "connection_refused",
    ),
    measure("cairn_waits_displaced", "Waits that made room for others.", "wait_displaced"),
    measure("cairn_lists_cut", "Lists that ended for their size.", "list_cut"),
    measure("cairn_rate_limited", "Requests over the rate limit.", "rate_limited"),
    measure(
      "cairn_registrations_refused",
      "Registrations over the limit or in a pause.",
      "registration_refused",
    ),
    {
      name: "cairn_registrations_last_hour",
      help: "Agents that registered within the last hour, up to 100,000.",
      collect: () => registrationsLastHour({ read: store.probe, clock }),
    },
  ];
}

const processMeasures = (service: Service): Measure[] => [
  {
    name: "cairn_waiting_writes",
    help: "Writes that wait for their turn.",
    collect: async () => (await service.store.health()).waitingWrites,
  },
  {
    name: "cairn_clock_clamps",
    help: "How often the clock was behind the last entry.",
    collect: service.clock.clamps,
  },
  {
    name: "cairn_replica_used",
    help: "1 while a replica answers public reads.",
    collect: () => (service.store.replica?.isUsed() === true ? 1 : 0),
  },
  {
    name: "cairn_signer_state",
    help: `The signer of this node: ${SIGNER_STATES.map((state, i) => `${i} ${state}`).join(", ")}.`,
    collect: () => SIGNER_STATES.indexOf(service.signing.state),
  },
];
