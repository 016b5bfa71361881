import {
  type LedgerHealth,
  ledgerHealth,
  SEQUENCER_LAG_MAX_S,
  sealDelayMax_s,
} from "../ledger/health.ts";
import type { SignerState } from "../ledger/signer.ts";
import type { AdminParts } from "../surfaces/admin.ts";
import { type Figures, figuresOf, type Measure } from "../surfaces/figures.ts";
import { refusedSamples } from "../transfers/rates.ts";
import type { World } from "./world.ts";

const SIGNER_STATES: readonly SignerState[] = [
  "ok",
  "no_key",
  "key_mismatch",
  "memory_missing",
  "database_behind",
];

/** What operators are shown: the pages of their listener, and the counter of requests. */
export interface Watch {
  readonly pages: Omit<AdminParts, "answers">;
  readonly figures: Figures;
}

/** How the processes stand that answer the network. */
interface Standing {
  /** A sentence, whatever the storage says; null when traffic may come. */
  whyUnready(): string | null;
  answering(): number;
}

export function watchOf(
  world: World,
  signerState: () => SignerState,
  { whyUnready, answering }: Standing,
): Watch {
  const look = ledgerHealth();
  const ledger = () => look(world.context);
  const figures = figuresOf([
    ...ledgerMeasures(ledger),
    ...processMeasures(world, signerState),
    rateMeasure(world),
    { name: "cairn_workers", help: "Processes that answer the network.", collect: answering },
  ]);
  return {
    figures,
    pages: {
      metrics: figures.text,
      unhealthy: async () => {
        try {
          return complaintsOf(
            await ledger(),
            sealDelayMax_s(world.context.settings.sealInterval_s),
          );
        } catch {
          return ["The storage does not answer."];
        }
      },
      unready: async () => {
        const reason = whyUnready();
        if (reason !== null) return [reason];
        const { writable } = await world.store.health();
        return writable ? [] : ["The storage takes no writes."];
      },
    },
  };
}

function complaintsOf(ledger: LedgerHealth, sealDelay_s: number): string[] {
  const complaints: string[] = [];
  if (ledger.sequencer_lag_s > SEQUENCER_LAG_MAX_S) {
    complaints.push(`An entry has waited ${ledger.sequencer_lag_s} s for its id.`);
  }
  if (ledger.seal_delay_s > sealDelay_s) {
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

const rateMeasure = ({ store }: World): Measure => ({
  name: "cairn_rate_samples_refused",
  help: "Prices of the rate source that were out of bounds.",
  collect: () => refusedSamples(store.read),
});

const processMeasures = (world: World, signerState: () => SignerState): Measure[] => [
  {
    name: "cairn_waiting_writes",
    help: "Writes that wait for their turn.",
    collect: async () => (await world.store.health()).waitingWrites,
  },
  {
    name: "cairn_waiting_reads",
    help: "Readers of /since that wait for an entry.",
    collect: world.arrivals.waiting,
  },
  {
    name: "cairn_clock_clamps",
    help: "How often the clock was behind the last entry.",
    collect: world.clock.clamps,
  },
  {
    name: "cairn_signer_state",
    help: `The signer of this node: ${SIGNER_STATES.map((state, i) => `${i} ${state}`).join(", ")}.`,
    collect: () => SIGNER_STATES.indexOf(signerState()),
  },
];
