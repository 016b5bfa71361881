import type { Finding } from "../../domains/operator/finding.ts";
import type { ServiceContext } from "../../platform/context.ts";
import type { DiskRoom } from "../../platform/db/engine.ts";
import type { Wording } from "../../platform/kernel/contract/errors.ts";
import type { Part } from "../../platform/kernel/html.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { LedgerHealth } from "../../platform/ledger/seals/health.ts";
import type { Answers } from "../wire/answer.ts";
import type { AccessParts, Session } from "./access.ts";
import type { Sent } from "./form.ts";

/** Commands that the console may run; they change nothing. */
export const RUN_NAMES = ["verify", "audit", "doctor"] as const;
export type RunName = (typeof RUN_NAMES)[number];

/** The report of such a run. */
export interface Report {
  readonly file: string;
  readonly name: RunName;
  readonly began_at: Seconds;
  readonly exit_code: number;
}

export interface ReportRuns {
  /** False while another one runs. */
  start(name: RunName): boolean;
  running(): { readonly name: RunName; readonly began_at: Seconds } | null;
  /** The newest first. */
  list(): readonly Report[];
  /** Null when there is no such report. */
  read(file: string): string | null;
}

/** The JSON of a look that a process of its own has done: its command's words come in. */
export type Scan = (words: readonly string[]) => Promise<unknown>;

/** A slow answer: no address, query or agent. */
export interface SlowRequest {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly duration_s: number;
  readonly at: Seconds;
}

/** How one route went in a span of time; a duration ends where a request begins to wait for news. */
export interface RoutePace {
  readonly route: string;
  readonly requests: number;
  readonly errors: number;
  readonly sum_s: number;
  readonly mean_s: number | null;
  readonly p50_s: number | null;
  readonly p99_s: number | null;
}

/** How the service ran in the last minutes: all processes' routes, and this process. */
export interface Performance {
  readonly span_s: number;
  /** Those that took the most time first. */
  readonly routes: readonly RoutePace[];
  readonly slowest: readonly SlowRequest[];
  readonly cpu_share: number;
  readonly loop_p99_ms: number;
  readonly resident_bytes: number;
}

/** The process that serves the console, as it shows it. */
export interface ConsoleWatch {
  unhealthy(): Promise<readonly Finding[]>;
  unready(): Promise<readonly Finding[]>;
  /** Conditions of which an alert is told now. */
  raised(): readonly Finding[];
  ledger(): Promise<LedgerHealth>;
  agents(): Promise<number>;
  room(): DiskRoom | null;
  /** Days that the disk lasts at the pace of today; null where that is not known. */
  diskDays(): number | null;
  lastBackup(): Seconds | null;
  performance(): Performance;
  /** Figures of the service by name. */
  figures(): Promise<ReadonlyMap<string, number>>;
  /** Runs of background jobs since the start. */
  jobs(): readonly {
    readonly job: string;
    readonly succeeded_at: Seconds | null;
    readonly ok: number;
    readonly failed: number;
    readonly in_a_row: number;
  }[];
  logTail(): { readonly warnings: readonly string[]; readonly others: readonly string[] };
  readonly process: {
    readonly release: string;
    readonly engine: string;
    readonly began_at: Seconds;
    readonly settings: readonly {
      readonly variable: string;
      readonly value: string | null;
      readonly isSet: boolean;
    }[];
  };
}

/** An act that was done. */
interface Acted {
  readonly name: string;
  readonly values: Sent;
  readonly result: string;
}

export interface ConsoleParts extends AccessParts {
  /** With `CONSOLE_HEADERS`. */
  readonly answers: Answers;
  /** With `REPORT_HEADERS`: a report has a style of its own, and runs nothing. */
  readonly reportAnswers: Answers;
  /** Null where the service cannot start the command. */
  readonly runs: ReportRuns | null;
  /** Null there, too. */
  readonly scan: Scan | null;
  /** Whether pages have forms of acts. */
  readonly mode: "read" | "act";
  readonly context: ServiceContext;
  readonly watch: ConsoleWatch;
  /** Names the operations in a refusal of a look. */
  readonly wording: Wording;
  /** Of the listener: cookies ignore ports, so their names distinguish them. */
  readonly port: () => number;
  /** Its one address behind a proxy with TLS; null where it is asked by the listener's own. */
  readonly origin: string | null;
  /** Tells the log of an act, by its name alone, and the journal of all of it. */
  readonly acted: (act: Acted) => Promise<void>;
}

/** A page with an address of its own, without what stands around every page. */
export type Page = (
  parts: ConsoleParts,
  asked: { readonly query: Sent; readonly session: Session },
) => Promise<Part>;
