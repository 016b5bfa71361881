import { markOverdue } from "../../domains/claims/listing.ts";
import { coinAudit, type Violation } from "../../domains/coin/audit/audit.ts";
import { expireOverdue } from "../../domains/coin/expiry.ts";
import { rowCounting } from "../../domains/counters/row-counts.ts";
import { fillInboxes } from "../../domains/inbox/backfill.ts";
import { type MarketViolation, marketAudit } from "../../domains/market/audit/audit.ts";
import { settleDueOrders } from "../../domains/market/orders/timers.ts";
import { watchPayments } from "../../domains/market/payments/payment-watcher.ts";
import type { Handled } from "../../domains/market/payments/scan.ts";
import { recheckSends } from "../../domains/market/payouts/rechecks.ts";
import { unaskedSends } from "../../domains/market/payouts/unasked.ts";
import { keepSamples } from "../../domains/operator/samples/samples.ts";
import { storageSums } from "../../domains/operator/storage/storage.ts";
import { endOverdueRequests } from "../../domains/requests/deadlines.ts";
import { indexNew } from "../../domains/search/indexing.ts";
import type { LogState } from "../../domains/tlog/signer.ts";
import { keepLog } from "../../domains/tlog/upkeep.ts";
import { type TransferViolation, transferAudit } from "../../domains/transfers/audit.ts";
import type { Context } from "../../platform/context.ts";
import type { Alarm, AlarmName } from "../../platform/kernel/alarms.ts";
import type { Contents } from "../../platform/kernel/proof/chain.ts";
import { MINUTE_S } from "../../platform/kernel/time.ts";
import { CLOCK_BEHIND_WARN_S } from "../../platform/ledger/clocks/clock.ts";
import { chainAudit } from "../../platform/ledger/seals/audit.ts";
import { type JobContext, sealWhenDue } from "../../platform/ledger/seals/seal.ts";
import { lackingSeal, type SignerState, signSeals } from "../../platform/ledger/seals/signer.ts";
import { tellNotice } from "../../platform/ledger/seals/signing.ts";
import { heartbeatWhenDue } from "../../platform/ledger/sequencing/heartbeat.ts";
import type { Service } from "../service/open-service.ts";
import { witnessedJobs, witnessJobs } from "./ask-witnesses.ts";
import type { BackgroundThrottle } from "./background-throttle.ts";
import type { Job } from "./jobs.ts";
import { rateRefresh } from "./rate-source.ts";
import { type RuleViolation, rulesCheck } from "./rules-check.ts";
import { cardJob } from "./sign-card.ts";

/** Seals are due by the entries' age, so looking often costs two look-ups and promises punctuality. */
const SEALING_EVERY_MS = 1_000;
const HEARTBEAT_EVERY_MS = 60_000;
const LOG_EVERY_MS = 1_000;
const ROWS_EVERY_MS = 60_000;
const STORAGE_EVERY_MS = 60_000;
const SAMPLES_EVERY_MS = 60_000;
const OVERDUE_EVERY_MS = 5_000;
const INDEXING_EVERY_MS = 1_000;
const INBOXES_EVERY_MS = 10_000;
const RATES_EVERY_MS = 600_000;
const EXPIRY_EVERY_MS = 60_000;
const AUDIT_EVERY_MS = 3_600_000;
const MARKET_EVERY_MS = 10_000;
/** The dev chain confirms in less than a second, and its players look at once. */
const WATCH_EVERY_MS = { live: 10_000, dev: 1_000 };

const RECHECK_EVERY_MS = 60_000;
/** Transfers that one run asks about again. */
const RECHECKS_MAX = 8;

/** Orders that one run moves on; the next takes the rest. */
const DUE_MAX = 500;

/** What the checks of one process have found, for the others that answer beside it. */
export interface Finding {
  readonly signer: SignerState;
  /** The seal that the database lacks, of those that were signed or checked; null without one. */
  readonly lacks: number | null;
  /** Of the books of the coin, the market and the transfers, and of the rules; only what is new. */
  readonly violations: readonly (Violation | MarketViolation | TransferViolation | RuleViolation)[];
}

/** What a service does by itself. */
export interface SharedJobs {
  /** What one process does for the whole service. */
  readonly jobs: readonly Job[];
  /** Seals what is due, signs what waits, checks what is new: what two of the jobs do, by hand. */
  readonly seal: () => Promise<void>;
  readonly signerState: () => SignerState;
}

interface DutiesParts {
  /** Hears of every finding. */
  readonly onFinding: (finding: Finding) => void;
  /** For each long job: what it awaits between two slices. */
  readonly yielder: BackgroundThrottle["yielder"];
}

const ALONE: DutiesParts = {
  onFinding: () => {},
  yielder: () => () => new Promise((resolve) => setImmediate(resolve)),
};

/** The defaults serve a caller that runs the jobs by hand: no findings are reported, and no job yields. */
export function sharedJobs(
  service: Service,
  { onFinding, yielder }: DutiesParts = ALONE,
): SharedJobs {
  const { context, upkeep, rewardPool, signing, chain, alarm, store } = service;
  const { seal, auditChain } = chainDuties(service, { onFinding, yielder });
  const updateLog = logDuty(service, yielder("patient"));

  const countSettledRows = rowCounting();
  const sumStorage = storageSums();
  const coins = coinAudit();
  const transfers = transferAudit();
  const unasked = unaskedSends();
  const rules = rulesCheck();
  const unhurried = { ...upkeep, ...store.unhurried };
  const checking = { ...unhurried, yieldToRequests: yielder("patient") };
  const indexing = { ...upkeep, yieldToRequests: yielder("patient") };
  const summing = { ...unhurried, yieldToRequests: yielder("patient") };
  const sampling = {
    ...unhurried,
    bytes: store.bytes,
    freeBytes: () => store.room()?.free_bytes ?? null,
  };
  const filling = { ...upkeep, yieldToRequests: yielder("patient") };
  const report = (what: AlarmName, violations: Finding["violations"]): void => {
    rewardPool.report(violations);
    onFinding({ signer: signing.state, lacks: signing.lacks, violations });
    for (const violation of violations) alarm(what, { ...violation });
  };
  const auditCoin = async () => report("coin_violation", await coins.run(checking));
  const auditMarket = async () => {
    report("market_violation", await marketAudit(checking));
    report("market_violation", await unasked(checking));
  };
  const auditTransfers = async () => report("transfer_violation", await transfers.run(checking));

  const auditRules = async () => report("rule_violation", await rules.run(checking));

  return {
    seal: () => seal().finally(auditChain).finally(updateLog),
    signerState: () => signing.state,
    jobs: [
      { name: "seal", every_ms: SEALING_EVERY_MS, run: seal },
      { name: "chain_audit", every_ms: SEALING_EVERY_MS, run: auditChain },
      { name: "log", every_ms: LOG_EVERY_MS, run: updateLog },
      { name: "heartbeat", every_ms: HEARTBEAT_EVERY_MS, run: () => heartbeatWhenDue(context) },
      { name: "overdue", every_ms: OVERDUE_EVERY_MS, run: () => markOverdue(context) },
      ...[
        { name: "rows", every_ms: ROWS_EVERY_MS, run: () => countSettledRows(unhurried) },
        { name: "storage", every_ms: STORAGE_EVERY_MS, run: () => sumStorage(summing) },
        { name: "samples", every_ms: SAMPLES_EVERY_MS, run: () => keepSamples(sampling) },
      ].map((job): Job => ({ ...job, fails: "as_warning" })),
      { name: "search", every_ms: INDEXING_EVERY_MS, run: () => indexNew(indexing) },
      { name: "inboxes", every_ms: INBOXES_EVERY_MS, run: () => fillInboxes(filling) },
      { name: "coin_audit", every_ms: AUDIT_EVERY_MS, run: auditCoin },
      { name: "market_audit", every_ms: AUDIT_EVERY_MS, run: auditMarket },
      { name: "transfer_audit", every_ms: AUDIT_EVERY_MS, run: auditTransfers },
      { name: "rules_audit", every_ms: AUDIT_EVERY_MS, run: auditRules },
      { name: "coin_expire", every_ms: EXPIRY_EVERY_MS, run: () => expireOverdue(context) },
      {
        name: "market_clock",
        every_ms: MARKET_EVERY_MS,
        run: () => settleDueOrders(context, DUE_MAX),
      },
      {
        name: "requests_clock",
        every_ms: MARKET_EVERY_MS,
        run: () => endOverdueRequests(context),
      },
      cardJob(service),
      ...witnessJobs(service),
      ...witnessedJobs(service),
      ...rateJobs(context),
      ...watcherJobs(chain, context, alarm),
    ],
  };
}

/**
 * Making the chain and checking it. These are two jobs, because the check of a large ledger takes
 * longer than a seal may wait.
 */
function chainDuties(service: Service, { onFinding, yielder }: DutiesParts) {
  const { upkeep, clock, signer, signing, alarm } = service;
  const tellOnce = changesOf(alarm);
  const sealing: JobContext = { ...upkeep, yieldToRequests: yielder("promised"), alarm };
  const checking: JobContext = { ...sealing, yieldToRequests: yielder("patient") };
  const audit = chainAudit();
  /** What the newest seal of this process covers, until a check has taken it. */
  let made: Contents | null = null;

  /** Signs what waits, and publishes the signer's state. */
  async function sign(): Promise<void> {
    const signed = await signSeals(upkeep, signer);
    signing.lacks =
      signed === "database_behind" ? await lackingSeal(upkeep.read, signer) : audit.lost();
    signing.state = signing.lacks === null ? signed : "database_behind";
    signing.fault = signer?.fault() ?? null;
    tellOnce("signer_refuses", refusalFacts("signer", signing.state, signing.fault));
    onFinding({ signer: signing.state, lacks: signing.lacks, violations: [] });
    await tellNotice(upkeep, signing, signer);
  }

  return {
    async seal(): Promise<void> {
      tellOnce("clock_leaps", clock.leaps() ? {} : null);
      tellOnce("clock_behind", clock.behind_s() > CLOCK_BEHIND_WARN_S ? {} : null);
      tellOnce("clock_jumped", jumpOf(service.steady));
      if (clock.leaps()) return; // A seal with a wrong time could never be taken back.
      made = (await sealWhenDue(sealing)) ?? made;
      await sign();
    },
    async auditChain(): Promise<void> {
      if (clock.leaps()) return;
      const newest = made;
      made = null;
      await audit.run(checking, newest);
    },
  };
}

/** The public log; one alarm when it cannot continue. */
function logDuty(service: Service, yieldToRequests: () => Promise<void>): () => Promise<void> {
  const { upkeep, logSigner, alarm } = service;
  const tellOnce = changesOf(alarm);
  return async () => {
    const context = { ...upkeep, yieldToRequests };
    const state = await keepLog(context, logSigner, service.witnesses.policy);
    tellOnce("log_refuses", refusalFacts("log", state, logSigner.fault()));
  };
}

/** What an alarm tells of a signer that refuses; null where it signs, or is not wanted. */
const refusalFacts = (who: "signer" | "log", state: SignerState | LogState, why: string | null) =>
  state === "ok" || state === "off"
    ? null
    : { [who]: state, ...(state === "unreadable" && { why }) };

/** How far the clock has jumped ahead, in whole minutes, and whether it waits to be accepted. */
function jumpOf(steady: Service["steady"]): object | null {
  const ahead_min = Math.round(steady.ahead_s() / MINUTE_S);
  return ahead_min === 0 ? null : { ahead_min, held: steady.isHeld() };
}

/** The source of prices is asked only where the operator wants it. */
const rateJobs = (context: Context): readonly Job[] =>
  context.settings.rates.source === "static"
    ? []
    : [
        {
          name: "rates",
          every_ms: RATES_EVERY_MS,
          fails: "as_warning",
          run: rateRefresh(context, fetch),
        },
      ];

/** Looks what was paid to the market, and how what it paid stands on the chain. */
function watcherJobs({ chain }: Service["chain"], context: Context, alarm: Alarm): readonly Job[] {
  if (chain === null) return [];
  const handled: Handled = new Map();
  const every_ms = WATCH_EVERY_MS[chain.network];
  const recheck = () =>
    recheckSends({ ...context, chain }, RECHECKS_MAX, (sent) =>
      alarm("transfer_mismatch", { sent }),
    );
  return [
    { name: "market_watch", every_ms, run: () => watchPayments(context, handled) },
    { name: "market_recheck", every_ms: RECHECK_EVERY_MS, run: recheck },
  ];
}

/** Raises an alarm when its facts change, and not each time that they are looked at; null is no alarm. */
function changesOf(alarm: Alarm): (what: AlarmName, facts: object | null) => void {
  const reported = new Map<string, string>();
  return (what, facts) => {
    const now = JSON.stringify(facts);
    if (facts !== null && reported.get(what) !== now) alarm(what, { ...facts });
    reported.set(what, now);
  };
}
