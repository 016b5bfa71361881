import type * as z from "zod";
import type { Context, Occurrence } from "../../platform/context.ts";
import { ledgerHealth } from "../../platform/ledger/seals/health.ts";
import { poolNow } from "../coin/overview.ts";
import { happened } from "../counters/occurrences.ts";
import { countRows } from "../counters/row-counts.ts";
import { registrationsLastHour } from "../identity/registrations/registrations.ts";
import { marketCounters } from "../market/payouts/payables.ts";
import { witnessesOfLog } from "../tlog/shown.ts";
import { refusedSamples } from "../transfers/rates.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";
import { mechanismsOf } from "./mechanisms.ts";
import { rememberedFor } from "./remembered.ts";

type Protection = z.output<typeof views.protection.output>;

/** The protections of the network, and their counters. */
export function protectionOf(facts: ServiceFacts): (context: Context) => Promise<Protection> {
  const health = ledgerHealth();
  const lastHour = rememberedFor(1, registrationsLastHour);

  return async (context) => {
    const { read, snapshot, rewardPool, clock, chain, storedBytes } = context;
    const [reports, registrations, counted, samples, ledger, market, pool, log] = await Promise.all(
      [
        snapshot((db) => countRows(db, "reports")),
        lastHour(read, clock.now()),
        countedOf(context),
        refusedSamples(read),
        health(context),
        marketCounters(read, context),
        poolNow(read, rewardPool.balance(), clock.now()),
        witnessesOfLog(read, clock.now()),
      ],
    );
    const { witnesses, ...witnessed } = log;
    return {
      mechanisms: mechanismsOf(context, facts, pool),
      counters: {
        reports,
        ...counted,
        rewards_this_hour: pool.rewards_this_hour,
        rewards_last_24h: pool.rewards_last_24h,
        reward_pool_days_left: pool.reward_pool_days_left,
        registrations_last_hour: registrations,
        disk_days_left: storedBytes.daysLeft(),
        sequencer_lag_s: ledger.sequencer_lag_s,
        seal_delay_s: ledger.seal_delay_s,
        unsigned_seqs: ledger.unsigned_seqs,
        signer: facts.signerState(),
        clock_clamps: facts.clockClamps(),
        chain_contradictions: chain?.health().contradictions ?? 0,
        rate_samples_refused: samples,
        ledger_violations: rewardPool.violations() + (ledger.first_broken_seq === null ? 0 : 1),
        ...market,
        ...witnessed,
      },
      witnesses,
      as_of: clock.now(),
    };
  };
}

/** The counters of what happens, by the names that readers see. */
const COUNTED = {
  challenges_solved: "challenge_solved",
  challenges_unsolved: "challenge_failed",
  tokens_refused: "token_refused",
  leaks_stopped: "leak_stopped",
  messages_refused: "message_refused",
  rewards_braked: "reward_braked",
  quota_refused: "quota_refused",
  connections_closed_slow: "connection_closed_slow",
  connections_refused: "connection_refused",
  waits_displaced: "wait_displaced",
  lists_cut: "list_cut",
  rate_limited: "rate_limited",
  registrations_refused: "registration_refused",
} as const satisfies Readonly<Record<string, Occurrence>>;

async function countedOf(
  context: Pick<Context, "read" | "occurrences">,
): Promise<Readonly<Record<string, number>>> {
  const counted = Object.entries(COUNTED).map(
    async ([name, what]) => [name, await happened(context, what)] as const,
  );
  return Object.fromEntries(await Promise.all(counted));
}
