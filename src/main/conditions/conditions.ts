import { POOL_DAYS_WARN } from "../../domains/coin/rules.ts";
import { DOUBT_SHOWN_AFTER_S } from "../../domains/market/payments/doubt-acts.ts";
import { UNRECEIVED_MAX } from "../../domains/market/payouts/waiting.ts";
import { HOLD_MAX_S, SCAN_AGE_MAX_S } from "../../domains/market/rules.ts";
import { DAY_S, days, HOUR_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { above, below, type Condition, equal, type Known, type Test } from "./condition.ts";

const HOLD_LOOKED_AT_S = days(7);
const UNMATCHED_MAX_S = DAY_S;
const REPORT_MAX_S = DAY_S;

const minutes = (seconds: number): string => `${seconds / MINUTE_S} minutes`;
const inDays = (seconds: number): string =>
  seconds === DAY_S ? "a day" : `${seconds / DAY_S} days`;

const DUE = "Run `cairn market due`: it names the command that records each.";

/** Seals wait, and no node has said that it signs. */
const nobodySigns: Test = {
  promql: "min(cairn_unsigned_seals) > 0 and on () max(cairn_signer_state) > 0",
  wrong({ value }) {
    const waiting = value("cairn_unsigned_seals") ?? 0;
    return waiting > 0 && (value("cairn_signer_state") ?? 0) > 0 ? waiting : null;
  },
};

/** A day at the pace of the last hour or the last day, and twice the floor, so that a small empty disk is well. */
const diskFills: Test = {
  promql: `cairn_disk_free_bytes < cairn_disk_large_floor_bytes + ${DAY_S} * cairn_disk_fall_bytes_per_second or cairn_disk_free_bytes < 2 * cairn_disk_large_floor_bytes`,
  wrong({ value }) {
    const free = value("cairn_disk_free_bytes");
    const floor = value("cairn_disk_large_floor_bytes");
    if (free === undefined || floor === undefined) return null;
    const perSecond = value("cairn_disk_fall_bytes_per_second") ?? 0;
    return free < Math.max(floor + DAY_S * perSecond, 2 * floor) ? free : null;
  },
};

/** In the order of ops/prometheus/alerts.yml and of the page, which are made of them. */
export const CONDITIONS: readonly Condition[] = [
  {
    alert: "CairnDown",
    about: "service",
    test: { promql: 'up{job="cairn"} == 0', wrong: () => null }, // Only others can tell.
    for_s: 2 * MINUTE_S,
    severity: "page",
    meaning: "Prometheus gets no answer",
    unit: "number",
    sentence: () => "The service does not answer.",
    advice: "Look whether it runs, and at the last lines of its log.",
    runbook: "the-service-does-not-answer",
  },
  {
    alert: "CairnUnhealthy",
    about: "service",
    test: equal("cairn_healthy", 0),
    for_s: 2 * MINUTE_S,
    severity: "page",
    meaning: "`/healthz` says no",
    unit: "number",
    sentence: () => "/healthz says no, and why.",
    advice: "Do what it says.",
    runbook: "health-says-no",
  },
  {
    alert: "CairnUnready",
    about: "service",
    test: equal("cairn_ready", 0),
    for_s: 2 * MINUTE_S,
    severity: "page",
    meaning: "`/readyz` says no: the service takes no writes",
    unit: "number",
    sentence: () => "/readyz says no, and why: the service takes no writes.",
    advice: "Do what it says.",
    runbook: "no-writes-are-taken",
  },
  {
    alert: "CairnSigner",
    about: "key",
    test: above("cairn_signer_state", 1),
    for_s: 2 * MINUTE_S,
    severity: "page",
    meaning: "The signer refuses",
    unit: "number",
    sentence: (state) => `The signer refuses: state ${state}.`,
    advice: "`/healthz` says why.",
    runbook: "lost-seals",
  },
  {
    alert: "CairnNobodySigns",
    about: "key",
    test: nobodySigns,
    for_s: 10 * MINUTE_S,
    severity: "page",
    meaning: "Seals wait for a signature",
    unit: "number",
    sentence: (seals) => `Seals that wait for a signature: ${seals}.`,
    advice: "Start the node that holds the key, or put the key back.",
    runbook: "nobody-signs",
  },
  {
    alert: "CairnPoolEmpties",
    about: "rewards",
    test: below("cairn_reward_pool_days_left", POOL_DAYS_WARN),
    for_s: HOUR_S,
    severity: "ticket",
    meaning: `The reward pool lasts less than ${POOL_DAYS_WARN} days`,
    unit: "number",
    sentence: (left) => `The reward pool lasts ${left} more days.`,
    advice: "Look at who earns, and announce a number of rewards an hour.",
    runbook: "the-reward-pool-empties",
  },
  {
    alert: "CairnDebtIsOld",
    about: "market",
    test: above("cairn_market_oldest_debt_seconds", "cairn_market_pay_within_seconds"),
    for_s: 0,
    severity: "ticket",
    meaning: "A payout or refund is owed for longer than `CAIRN_MARKET_PAY_WITHIN_H`",
    unit: "age",
    sentence: (age) => `A payout or refund has been owed for ${age}.`,
    advice: DUE,
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnHoldIsOld",
    about: "market",
    test: above("cairn_market_oldest_hold_seconds", HOLD_LOOKED_AT_S),
    for_s: 0,
    severity: "ticket",
    meaning: `An order is held for over ${inDays(HOLD_LOOKED_AT_S)}; the hold ends by itself after ${inDays(HOLD_MAX_S)}`,
    unit: "age",
    sentence: (age) => `An order has been held for ${age}.`,
    advice: `End it with \`cairn market resolve\`; after ${inDays(HOLD_MAX_S)} it ends by itself.`,
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnPaymentIsUnmatched",
    about: "market",
    test: above("cairn_market_oldest_unmatched_seconds", UNMATCHED_MAX_S),
    for_s: 0,
    severity: "ticket",
    meaning: `A payment names no order for over ${inDays(UNMATCHED_MAX_S)}`,
    unit: "age",
    sentence: (age) => `A payment has named no order for ${age}.`,
    advice: "`cairn market due` lists it: `cairn market paid` or `return`.",
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnTransferIsInDoubt",
    about: "market",
    test: above("cairn_market_oldest_doubt_seconds", DOUBT_SHOWN_AFTER_S),
    for_s: 0,
    severity: "ticket",
    meaning: `A transfer is listed and not proven for over ${minutes(DOUBT_SHOWN_AFTER_S)}`,
    unit: "age",
    sentence: (age) => `A transfer has been listed and not proven for ${age}.`,
    advice: DUE,
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnTransfersWait",
    about: "market",
    test: above("cairn_market_unreceived_transfers", UNRECEIVED_MAX),
    for_s: 10 * MINUTE_S,
    severity: "ticket",
    meaning: `Over ${UNRECEIVED_MAX.toLocaleString("en")} transfers wait in the escrow's wallet`,
    unit: "number",
    sentence: (count) => `Transfers that wait in the escrow's wallet: ${count}.`,
    advice: "Receive them in the wallet.",
    runbook: "the-markets-account-is-not-looked-at",
  },
  {
    alert: "CairnScanIsOld",
    about: "market",
    test: above("cairn_market_scan_age_seconds", SCAN_AGE_MAX_S),
    for_s: 2 * MINUTE_S, // A service that was down has an old scan until it has made a new one.
    severity: "page",
    meaning: `The market's account was not looked at for ${minutes(SCAN_AGE_MAX_S)}: no orders are taken`,
    unit: "age",
    sentence: (age) => `The market's account was last looked at ${age} ago.`,
    advice: "Right while no service runs. Else look at the Nano nodes.",
    runbook: "the-markets-account-is-not-looked-at",
  },
  {
    alert: "CairnDiskFull",
    about: "disk",
    test: diskFills,
    for_s: 10 * MINUTE_S,
    severity: "page",
    meaning:
      "At the pace of the last hour or day, large writes end within a day; or less than twice their floor is free",
    unit: "bytes",
    sentence: (free) => `${free} of disk are free.`,
    advice: "Make room on the disk of the data folder.",
    runbook: "disk-space",
  },
  {
    alert: "CairnErrors",
    about: "service",
    test: {
      promql:
        'sum by (instance) (rate(cairn_requests_total{status=~"5..", status!="503"}[5m])) > 0',
      wrong: ({ failed }: Known) => (failed() > 0 ? failed() : null),
    },
    for_s: 5 * MINUTE_S,
    severity: "page",
    meaning: "Requests end with a fault of the program",
    unit: "number",
    sentence: () => "Requests end with a fault of the program.",
    advice: "Report the lines `a request failed` of the log.",
    runbook: "requests-fail",
  },
  {
    alert: "CairnNoBackup",
    about: "backup",
    test: above("cairn_backup_age_seconds", "cairn_backup_age_max_seconds"),
    for_s: 0,
    severity: "ticket",
    meaning:
      "No backup was made for two days, or for twice `CAIRN_BACKUP_EVERY_H` where `CAIRN_BACKUP_DIR` is set",
    unit: "age",
    sentence: (age) => `\`cairn backup\` has made no copy for ${age}.`,
    advice: "Set CAIRN_BACKUP_DIR, or run `cairn backup`. Nothing if you copy by other means.",
    runbook: "backups-are-missing",
  },
  {
    alert: "CairnReportsWait",
    about: "reports",
    test: above("cairn_oldest_report_seconds", REPORT_MAX_S),
    for_s: 0,
    severity: "ticket",
    meaning: `A report has waited for ${inDays(REPORT_MAX_S)}`,
    unit: "age",
    sentence: (age) => `A report has waited for ${age}.`,
    advice: "Run `cairn report list`.",
    runbook: "reports-wait",
  },
  {
    alert: "CairnJobFails",
    about: "service",
    test: above("cairn_job_failures_in_a_row", 1),
    for_s: 5 * MINUTE_S,
    severity: "ticket",
    meaning: "A background job fails again and again",
    unit: "number",
    sentence: (failures) => `A job has failed ${failures} times in a row: /readyz says which.`,
    advice: "Look at the words of its last failure.",
    runbook: "a-job-keeps-failing",
  },
];
