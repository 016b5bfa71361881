import { markOverdue } from "../claims/listing.ts";
import { coinAudit, type Violation } from "../coin/audit.ts";
import { expireOverdue } from "../coin/expiry.ts";
import type { Context } from "../context.ts";
import { rowCounting } from "../counters/rows.ts";
import type { Contents } from "../kernel/chain.ts";
import { chainAudit } from "../ledger/audit.ts";
import { heartbeatWhenDue } from "../ledger/heartbeat.ts";
import { type JobContext, sealWhenDue } from "../ledger/seal.ts";
import { type SignerState, signSeals } from "../ledger/signer.ts";
import { type MarketViolation, marketAudit } from "../market/audit.ts";
import { settleDueOrders } from "../market/timers.ts";
import { type Handled, watchPayments } from "../market/watch.ts";
import type { Job } from "./jobs.ts";
import type { Pace } from "./pace.ts";
import { rateRefresh } from "./rate-source.ts";
import type { Alarm, World } from "./world.ts";

/** Seals are due by the entries' age, so looking often costs two look-ups and promises punctuality. */
const SEALING_EVERY_MS = 1_000;
const HEARTBEAT_EVERY_MS = 60_000;
const ROWS_EVERY_MS = 60_000;
const OVERDUE_EVERY_MS = 5_000;
const RATES_EVERY_MS = 600_000;
const EXPIRY_EVERY_MS = 60_000;
const AUDIT_EVERY_MS = 3_600_000;
const MARKET_EVERY_MS = 10_000;
/** The dev chain confirms in less than a second, and whoever plays on it looks at once. */
const WATCH_EVERY_MS = { live: 10_000, dev: 1_000 };

/** Orders that one run moves on; the next takes the rest. */
const DUE_MAX = 500;

/** A clock that is further behind the last entry than this needs a person. */
const CLOCK_BEHIND_MAX_S = 2;

/** What the checks of one process have found, for the others that answer beside it. */
export interface Finding {
  readonly signer: SignerState;
  /** Of the books of the coin and the market; only what is new. */
  readonly violations: readonly (Violation | MarketViolation)[];
}

/** What a service does by itself. */
export interface Duties {
  /** What one process does for the whole service. */
  readonly jobs: readonly Job[];
  /** Seals what is due, signs what waits, checks what is new: what two of the jobs do, by hand. */
  readonly seal: () => Promise<void>;
  readonly signerState: () => SignerState;
}

interface DutiesParts {
  /** Hears of every finding. */
  readonly told: (finding: Finding) => void;
  /** For each long job: what it awaits between two slices. */
  readonly breather: Pace["breather"];
}

const ALONE: DutiesParts = {
  told: () => {},
  breather: () => () => new Promise((resolve) => setImmediate(resolve)),
};

/** What is left out is for a caller that runs the duties by hand: nobody is told, and nothing rests. */
export function dutiesOf(world: World, { told, breather }: DutiesParts = ALONE): Duties {
  const { context, books, signing, chain, alarm } = world;
  const { seal, auditChain } = chainDuties(world, { told, breather });

  const countSettledRows = rowCounting();
  const coins = coinAudit();
  const checking = { ...context, breathe: breather("patient") };
  const report = (what: string, violations: Finding["violations"]): void => {
    books.report(violations);
    told({ signer: signing.state, violations });
    for (const violation of violations) alarm(what, { ...violation });
  };
  const auditCoin = async () => report("coin_violation", await coins.run(checking));
  const auditMarket = async () => report("market_violation", await marketAudit(checking));

  return {
    seal: () => seal().finally(auditChain),
    signerState: () => signing.state,
    jobs: [
      { name: "seal", every_ms: SEALING_EVERY_MS, run: seal },
      { name: "chain_audit", every_ms: SEALING_EVERY_MS, run: auditChain },
      { name: "heartbeat", every_ms: HEARTBEAT_EVERY_MS, run: () => heartbeatWhenDue(context) },
      { name: "overdue", every_ms: OVERDUE_EVERY_MS, run: () => markOverdue(context) },
      { name: "rows", every_ms: ROWS_EVERY_MS, run: () => countSettledRows(context) },
      { name: "coin_audit", every_ms: AUDIT_EVERY_MS, run: auditCoin },
      { name: "market_audit", every_ms: AUDIT_EVERY_MS, run: auditMarket },
      { name: "coin_expire", every_ms: EXPIRY_EVERY_MS, run: () => expireOverdue(context) },
      {
        name: "market_clock",
        every_ms: MARKET_EVERY_MS,
        run: () => settleDueOrders(context, DUE_MAX),
      },
      ...rateJobs(context),
      ...watcherJobs(chain, context),
    ],
  };
}

/**
 * Making the chain and checking it. These are two jobs, because the check of a large ledger takes
 * longer than a seal may wait.
 */
function chainDuties(world: World, { told, breather }: DutiesParts) {
  const { context, clock, signer, signing, alarm } = world;
  const tellOnce = changesOf(alarm);
  const sealing: JobContext = { ...context, breathe: breather("promised"), alarm };
  const checking: JobContext = { ...sealing, breathe: breather("patient") };
  const audit = chainAudit();
  /** What the newest seal of this process covers, until a check has taken it. */
  let made: Contents | null = null;

  return {
    async seal(): Promise<void> {
      tellOnce("clock_leaps", clock.leaps() ? {} : null);
      tellOnce("clock_behind", clock.behind_s() > CLOCK_BEHIND_MAX_S ? {} : null);
      if (clock.leaps()) return; // A seal with a wrong time could never be taken back.
      made = (await sealWhenDue(sealing)) ?? made;
      signing.state = await signSeals(context, signer);
      tellOnce("signer_refuses", signing.state === "ok" ? null : { signer: signing.state });
      told({ signer: signing.state, violations: [] });
    },
    async auditChain(): Promise<void> {
      if (clock.leaps()) return;
      const newest = made;
      made = null;
      await audit.run(checking, newest);
    },
  };
}

/** The source of prices is asked only where the operator wants it. */
const rateJobs = (context: Context): readonly Job[] =>
  context.settings.rates.source === "static"
    ? []
    : [{ name: "rates", every_ms: RATES_EVERY_MS, run: rateRefresh(context, fetch) }];

/** Looks what was paid to the market. */
function watcherJobs({ chain }: World["chain"], context: Context): readonly Job[] {
  if (chain === null) return [];
  const handled: Handled = new Map();
  const every_ms = WATCH_EVERY_MS[chain.network];
  return [{ name: "market_watch", every_ms, run: () => watchPayments(context, handled) }];
}

/** Raises an alarm when its facts change, and not each time that they are looked at; null is no alarm. */
function changesOf(alarm: Alarm): (what: string, facts: object | null) => void {
  const told = new Map<string, string>();
  return (what, facts) => {
    const now = JSON.stringify(facts);
    if (facts !== null && told.get(what) !== now) alarm(what, { ...facts });
    told.set(what, now);
  };
}
