import type { ServiceContext } from "../../context.ts";
import type { DiskRoom } from "../../db/engine.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { LedgerHealth } from "../../ledger/health.ts";
import type { Finding } from "../../operator/finding.ts";
import type { Answers } from "../wire/answer.ts";
import type { AccessParts } from "./access.ts";

/** The process that serves the console, as it shows it. */
export interface ConsoleWatch {
  unhealthy(): Promise<readonly Finding[]>;
  unready(): Promise<readonly Finding[]>;
  ledger(): Promise<LedgerHealth>;
  agents(): Promise<number>;
  room(): DiskRoom | null;
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

export interface ConsoleParts extends AccessParts {
  /** With `CONSOLE_HEADERS`. */
  readonly answers: Answers;
  /** Whether pages have forms of acts. */
  readonly mode: "read" | "act";
  readonly context: ServiceContext;
  readonly watch: ConsoleWatch;
  /** Of the listener: cookies ignore ports, so their names tell them apart. */
  readonly port: () => number;
  /** Tells the log of an act, by its name alone. */
  readonly acted: (name: string) => void;
}
