/**
 * The alarms of a service: what needs a person. Each is a line of the level `error` in the log and a
 * row in docs/operating/alarms.md.
 */
export const ALARMS = [
  "chain_contradiction",
  "clock_behind",
  "clock_jumped",
  "clock_leaps",
  "clocks_apart",
  "coin_violation",
  "database_connection_lost",
  "ledger_violation",
  "log_not_flushed",
  "log_refuses",
  "market_violation",
  "proxy_not_trusted",
  "rate_buckets_full",
  "rule_violation",
  "rules_unknown",
  "seals_lost",
  "sequencing_failed",
  "signer_refuses",
  "transfer_mismatch",
  "transfer_violation",
  "unwitnessed",
  "witness_ahead",
  "witness_bad_signature",
  "witness_inconsistent",
  "witness_refuses_key",
  "witness_unknown_log",
  "write_refused",
  "write_stalled",
] as const;

export type AlarmName = (typeof ALARMS)[number];

/** Tells the operator of something that needs a person; the facts hold nothing secret. */
export type Alarm = (what: AlarmName, facts: Readonly<Record<string, unknown>>) => void;
