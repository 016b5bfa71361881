import { DAY_S, HOUR_S, MINUTE_S, type Seconds } from "../../kernel/time.ts";

/** What a rule reads: figures by name, without labels; undefined where a service has none of it. */
export interface Known {
  /** The figure, or the largest of those with labels. */
  readonly value: (metric: string) => number | undefined;
  /** Requests of the last 5 minutes that ended with a fault of the program. */
  readonly failed: () => number;
  readonly now: Seconds;
}

/** One thing that needs a person: for Prometheus, for the webhook, and for the command. */
export interface AlertRule {
  readonly alert: `Cairn${string}`;
  /** In PromQL. */
  readonly expr: string;
  /** The same over the service's own figures: the value that is wrong, or null. Left out: it cannot know. */
  readonly wrong?: (known: Known) => number | null;
  /** For how long it has to be so. */
  readonly for_s: Seconds;
  /** `page` wakes somebody, `ticket` can wait for the morning. */
  readonly severity: "page" | "ticket";
  /** For Prometheus, with its templates. */
  readonly summary: string;
  /** The sentence of the service itself. */
  readonly sentence: (value: number) => string;
  /** A heading of docs/operating/troubleshoot.md. */
  readonly runbook: string;
}

const above =
  (metric: string, limit: number) =>
  ({ value }: Known) => {
    const found = value(metric);
    return found !== undefined && found > limit ? found : null;
  };

const days = (seconds: number): string => `${(seconds / DAY_S).toFixed(1)} days`;
const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

const BACKUP_MAX_S = 2 * DAY_S;
const DEBT_MAX_S = 3 * DAY_S;
const HOLD_MAX_S = 7 * DAY_S;
const POOL_MIN_DAYS = 30;
const SCAN_MAX_S = 5 * MINUTE_S;
const FLOORS_MIN = 4;

/** In the order of ops/prometheus/alerts.yml, which is made of them. */
export const ALERT_RULES: readonly AlertRule[] = [
  {
    alert: "CairnDown",
    expr: 'up{job="cairn"} == 0',
    for_s: 2 * MINUTE_S,
    severity: "page",
    summary: "Prometheus gets no answer of {{ $labels.instance }}.",
    sentence: () => "The service does not answer.",
    runbook: "the-service-does-not-answer",
  },
  {
    alert: "CairnUnhealthy",
    expr: "cairn_healthy == 0",
    wrong: ({ value }) => (value("cairn_healthy") === 0 ? 0 : null),
    for_s: 2 * MINUTE_S,
    severity: "page",
    summary: "/healthz of {{ $labels.instance }} says no.",
    sentence: () => "/healthz says no, and why.",
    runbook: "health-says-no",
  },
  {
    alert: "CairnUnready",
    expr: "cairn_ready == 0",
    wrong: ({ value }) => (value("cairn_ready") === 0 ? 0 : null),
    for_s: 2 * MINUTE_S,
    severity: "page",
    summary: "/readyz of {{ $labels.instance }} says no: it takes no writes.",
    sentence: () => "/readyz says no, and why: the service takes no writes.",
    runbook: "no-writes-are-taken",
  },
  {
    alert: "CairnSigner",
    expr: "cairn_signer_state > 1",
    wrong: above("cairn_signer_state", 1),
    for_s: 2 * MINUTE_S,
    severity: "page",
    summary: "The signer of {{ $labels.instance }} refuses: state {{ $value }}.",
    sentence: (state) => `The signer refuses: state ${state}.`,
    runbook: "lost-seals",
  },
  {
    alert: "CairnNobodySigns",
    expr: "min(cairn_unsigned_seals) > 0 and on () max(cairn_signer_state) > 0",
    wrong: ({ value }) => {
      const waiting = value("cairn_unsigned_seals") ?? 0;
      return waiting > 0 && (value("cairn_signer_state") ?? 0) > 0 ? waiting : null;
    },
    for_s: 10 * MINUTE_S,
    severity: "page",
    summary: "{{ $value }} seals wait for a signature.",
    sentence: (seals) => `${seals} seals wait for a signature.`,
    runbook: "nobody-signs",
  },
  {
    alert: "CairnPoolEmpties",
    expr: `cairn_reward_pool_days_left < ${POOL_MIN_DAYS}`,
    wrong({ value }) {
      const left = value("cairn_reward_pool_days_left");
      return left !== undefined && left < POOL_MIN_DAYS ? left : null;
    },
    for_s: HOUR_S,
    severity: "ticket",
    summary: "The reward pool lasts {{ $value }} more days.",
    sentence: (left) => `The reward pool lasts ${Math.floor(left)} more days.`,
    runbook: "the-reward-pool-empties",
  },
  {
    alert: "CairnDebtIsOld",
    expr: "cairn_market_oldest_debt_seconds > 3 * 86400",
    wrong: above("cairn_market_oldest_debt_seconds", DEBT_MAX_S),
    for_s: 10 * MINUTE_S,
    severity: "ticket",
    summary: "A payout or refund is owed for {{ $value | humanizeDuration }}.",
    sentence: (age_s) => `A payout or refund is owed for ${days(age_s)}.`,
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnHoldIsOld",
    expr: "cairn_market_oldest_hold_seconds > 7 * 86400",
    wrong: above("cairn_market_oldest_hold_seconds", HOLD_MAX_S),
    for_s: 10 * MINUTE_S,
    severity: "ticket",
    summary: "An order has been held for {{ $value | humanizeDuration }}.",
    sentence: (age_s) => `An order has been held for ${days(age_s)}.`,
    runbook: "debts-and-holds",
  },
  {
    alert: "CairnScanIsOld",
    expr: `cairn_market_scan_age_seconds > ${SCAN_MAX_S}`,
    wrong: above("cairn_market_scan_age_seconds", SCAN_MAX_S),
    for_s: 5 * MINUTE_S,
    severity: "page",
    summary: "The market's account was last looked at {{ $value | humanizeDuration }} ago.",
    sentence: (age_s) =>
      `The market's account was last looked at ${Math.floor(age_s / MINUTE_S)} minutes ago.`,
    runbook: "the-markets-account-is-not-looked-at",
  },
  {
    alert: "CairnDiskFull",
    expr: `cairn_disk_free_bytes < ${FLOORS_MIN} * cairn_disk_floor_bytes`,
    wrong({ value }) {
      const free = value("cairn_disk_free_bytes");
      const floor = value("cairn_disk_floor_bytes");
      if (free === undefined || floor === undefined) return null;
      return free < FLOORS_MIN * floor ? free : null;
    },
    for_s: 10 * MINUTE_S,
    severity: "page",
    summary: "{{ $value | humanize1024 }}B of disk are free.",
    sentence: (free) => `${mib(free)} of disk are free.`,
    runbook: "disk-space",
  },
  {
    alert: "CairnErrors",
    expr: 'sum by (instance) (rate(cairn_requests_total{status=~"5..", status!="503"}[5m])) > 0',
    wrong: ({ failed }) => (failed() > 0 ? failed() : null),
    for_s: 5 * MINUTE_S,
    severity: "page",
    summary: "Requests end with a fault of the program.",
    sentence: (failed) => `${failed} requests of 5 minutes ended with a fault of the program.`,
    runbook: "requests-fail",
  },
  {
    alert: "CairnNoBackup",
    expr: "time() - (cairn_last_backup_timestamp_seconds > 0) > 2 * 86400",
    wrong({ value, now }) {
      const made = value("cairn_last_backup_timestamp_seconds") ?? 0;
      return made > 0 && now - made > BACKUP_MAX_S ? now - made : null;
    },
    for_s: HOUR_S,
    severity: "ticket",
    summary: "The last backup was made {{ $value | humanizeDuration }} ago.",
    sentence: (age_s) => `The last backup was made ${days(age_s)} ago.`,
    runbook: "backups-are-missing",
  },
  {
    alert: "CairnNeverBackedUp",
    expr: "cairn_last_backup_timestamp_seconds == 0",
    wrong: ({ value }) => (value("cairn_last_backup_timestamp_seconds") === 0 ? 0 : null),
    for_s: DAY_S,
    severity: "ticket",
    summary: "There is no backup of {{ $labels.instance }} yet.",
    sentence: () => "There is no backup yet.",
    runbook: "backups-are-missing",
  },
  {
    alert: "CairnReportsWait",
    expr: "cairn_oldest_report_seconds > 86400",
    wrong: above("cairn_oldest_report_seconds", DAY_S),
    for_s: 10 * MINUTE_S,
    severity: "ticket",
    summary: "A report has waited for {{ $value | humanizeDuration }}.",
    sentence: (age_s) => `A report has waited for ${days(age_s)}.`,
    runbook: "reports-wait",
  },
  {
    alert: "CairnJobFails",
    expr: "cairn_job_failures_in_a_row > 1",
    wrong: above("cairn_job_failures_in_a_row", 1),
    for_s: 5 * MINUTE_S,
    severity: "ticket",
    summary: "The job {{ $labels.name }} has failed {{ $value }} times in a row.",
    sentence: (failures) => `A job has failed ${failures} times in a row: /readyz says which.`,
    runbook: "a-job-keeps-failing",
  },
];

const HEAD = `# Alerts for Prometheus. Every runbook is a heading of docs/operating/troubleshoot.md.
# \`page\` wakes somebody, \`ticket\` can wait for the morning.
groups:
  - name: cairn
    rules:
`;

export const runbookOf = ({ runbook }: Pick<AlertRule, "runbook">): string =>
  `docs/operating/troubleshoot.md#${runbook}`;

const spanOf = (seconds: Seconds): string =>
  seconds % HOUR_S === 0 ? `${seconds / HOUR_S}h` : `${seconds / MINUTE_S}m`;

/** The file of rules for Prometheus. */
export const alertsYaml = (): string =>
  HEAD +
  ALERT_RULES.map(
    (rule) => `      - alert: ${rule.alert}
        expr: ${rule.expr}
        for: ${spanOf(rule.for_s)}
        labels:
          severity: ${rule.severity}
        annotations:
          summary: "${rule.summary}"
          runbook: ${runbookOf(rule)}
`,
  ).join("");
