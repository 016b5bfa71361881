import { HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import { runbookOf, summaryOf } from "./condition.ts";
import { CONDITIONS } from "./conditions.ts";

const HEAD = `# Alerts for Prometheus. Every runbook is a heading of docs/operating/troubleshoot.md.
# \`page\` wakes somebody, \`ticket\` can wait for the morning.
groups:
  - name: cairn
    rules:
`;

const isWholeHours = (seconds: Seconds): boolean => seconds > 0 && seconds % HOUR_S === 0;

const spanOf = (seconds: Seconds): string =>
  isWholeHours(seconds) ? `${seconds / HOUR_S}h` : `${seconds / MINUTE_S}m`;

/** The file of rules for Prometheus. */
export const alertsYaml = (): string =>
  HEAD +
  CONDITIONS.map(
    (condition) => `      - alert: ${condition.alert}
        expr: ${condition.test.promql}
        for: ${spanOf(condition.for_s)}
        labels:
          severity: ${condition.severity}
        annotations:
          summary: "${summaryOf(condition)}"
          runbook: ${runbookOf(condition)}
`,
  ).join("");

const afterOf = (seconds: Seconds): string => {
  if (seconds === 0) return "at once";
  return isWholeHours(seconds) ? `${seconds / HOUR_S} h` : `${seconds / MINUTE_S} min`;
};

/** The rows of docs/operating/notify.md. */
export const conditionRows = (): readonly string[] => [
  "| Alert | Meaning | After | Severity |",
  "|---|---|---|---|",
  ...CONDITIONS.map(
    ({ alert, meaning, for_s, severity, runbook }) =>
      `| [\`${alert}\`](troubleshoot.md#${runbook}) | ${meaning} | ${afterOf(for_s)} | ${severity} |`,
  ),
];
