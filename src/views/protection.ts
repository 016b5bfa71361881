import type * as z from "zod";
import type { Context, Occurrence } from "../context.ts";
import { countNamed } from "../counters/counts.ts";
import { countRows } from "../counters/rows.ts";
import { ledgerHealth } from "../ledger/health.ts";
import { marketCounters } from "../market/due.ts";
import { refusedSamples } from "../transfers/rates.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";
import { mechanismsOf } from "./mechanisms.ts";

type Protection = z.output<typeof views.protection.output>;

/** What protects the network, and what that has come to so far. */
export function protectionOf(facts: ServiceFacts): (context: Context) => Promise<Protection> {
  const look = ledgerHealth();

  return async (context) => {
    const { read, snapshot, books, clock, chain } = context;
    const [reports, solved, failed, tokens, leaks, samples, ledger, market] = await Promise.all([
      snapshot((db) => countRows(db, "reports")),
      happened(context, "challenge_solved"),
      happened(context, "challenge_failed"),
      happened(context, "token_refused"),
      happened(context, "leak_stopped"),
      refusedSamples(read),
      look(context),
      marketCounters(read, context),
    ]);
    return {
      mechanisms: mechanismsOf(context, facts),
      counters: {
        reports,
        challenges_solved: solved,
        challenges_unsolved: failed,
        tokens_refused: tokens,
        leaks_stopped: leaks,
        sequencer_lag_s: ledger.sequencer_lag_s,
        seal_delay_s: ledger.seal_delay_s,
        unsigned_seqs: ledger.unsigned_seqs,
        signer: facts.signerState(),
        clock_clamps: facts.clockClamps(),
        chain_contradictions: chain?.health().contradictions ?? 0,
        rate_samples_refused: samples,
        ledger_violations: books.violations() + (ledger.first_broken_seq === null ? 0 : 1),
        ...market,
      },
      as_of: clock.now(),
    };
  };
}

async function happened(
  { read, occurrences }: Pick<Context, "read" | "occurrences">,
  what: Occurrence,
): Promise<number> {
  return (await countNamed(read, what)).n + occurrences.unsaved(what);
}
