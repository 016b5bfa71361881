import type { Counts } from "../../domains/counters/counts.ts";
import { ENTRY_KINDS } from "../../domains/entries.ts";
import type { LedgerHealth } from "../../platform/ledger/seals/health.ts";
import { SIGNER_STATES } from "../../platform/ledger/seals/signing.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import { apartFromNano_s } from "../jobs/nano-time.ts";
import type { Service } from "../service/open-service.ts";

/** The record: how long it is, what it holds, and whether it is signed. */
export function ledgerMeasures(
  { clock, signing, store, chain: { chain } }: Service,
  ledger: () => Promise<LedgerHealth>,
  counts: () => Promise<Counts>,
): Measure[] {
  const measure = (
    name: Measure["name"],
    help: string,
    of: (health: LedgerHealth) => number,
  ): Measure => ({ name, help, collect: async () => of(await ledger()) });
  return [
    measure("cairn_ledger_entries", "Entries with an id.", ({ entries }) => entries),
    measure("cairn_seals_total", "Seals made.", ({ seals }) => seals),
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
    {
      name: "cairn_entries_total",
      help: "Entries with an id, by kind.",
      async collect() {
        const count = await counts();
        return ENTRY_KINDS.map(({ kind }) => [{ kind }, count(kind).n]);
      },
    },
    {
      name: "cairn_clock_clamps_total",
      help: "How often the clock was behind the last entry.",
      collect: clock.clamps,
    },
    {
      name: "cairn_clock_ahead_seconds",
      help: "How far network time is ahead of the clock of this machine, or of its PostgreSQL server.",
      collect: () => clock.now() - store.now(),
    },
    {
      name: "cairn_clock_ahead_of_nano_seconds",
      help: "How far network time is ahead of the Nano nodes'; absent where they do not say theirs.",
      collect: () => (chain === null ? [] : (apartFromNano_s(chain.health(), clock) ?? [])),
    },
    {
      name: "cairn_signer_state",
      help: `The signer of this node: ${SIGNER_STATES.map((state, i) => `${i} ${state}`).join(", ")}.`,
      collect: () => SIGNER_STATES.indexOf(signing.state),
    },
    {
      name: "cairn_signer_state_info",
      help: "1 for the state of this node's signer.",
      collect: () => SIGNER_STATES.map((state) => [{ state }, state === signing.state ? 1 : 0]),
    },
  ];
}
