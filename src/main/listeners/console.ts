import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { agentsIn, allCounts } from "../../domains/counters/counts.ts";
import { noteAct } from "../../domains/operator/journal.ts";
import { writeAnew } from "../../platform/db/folder.ts";
import { newSecret } from "../../surfaces/console/access.ts";
import {
  CONSOLE_HEADERS,
  type Console,
  createConsole,
  REPORT_HEADERS,
} from "../../surfaces/console/console.ts";
import type { ConsoleWatch } from "../../surfaces/console/parts.ts";
import { routeWording } from "../../surfaces/routing/base-path.ts";
import type { Answers, HeaderList } from "../../surfaces/wire/answer.ts";
import type { Log } from "../log.ts";
import type { Service } from "../service/open-service.ts";
import { consoleModeOf } from "../settings/console-mode.ts";
import type { Configuration } from "../settings/settings.ts";
import { shownSettings } from "../settings/settings.ts";
import { lastBackup } from "../storage/last-backup.ts";
import type { LateFiles } from "../storage/late-files.ts";
import { PACKAGE_VERSION } from "../version.ts";
import { type Program, reportRuns } from "./runs.ts";
import { SCAN_MAX_MS, scanner } from "./scans.ts";

const OWNER_ONLY = 0o600;

/** In the data folder while the service runs: a process that can read it may open the console. */
export const secretFile = (dataDir: string): string => join(dataDir, "console.secret");

export const systemSeconds = (): number => Math.floor(Date.now() / 1_000);

export const systemRandom = (n: number): Uint8Array => randomBytes(n);

/** The console, and the end of its secret. */
export interface OpenConsole {
  /** Its address behind a proxy with TLS. */
  readonly origin: string | null;
  readonly serve: (answering: (common: HeaderList) => Answers) => Console;
  close(): void;
}

interface Parts {
  readonly log: Log;
  /** Null where the service was not started by the command. */
  readonly program: Program | null;
  readonly files: Pick<LateFiles, "put">;
  readonly watch: Pick<
    ConsoleWatch,
    "unhealthy" | "unready" | "raised" | "ledger" | "jobs" | "performance" | "figures"
  >;
}

/** Writes a new secret for this start; null where the console is off. */
export function openConsole(
  service: Service,
  configuration: Configuration,
  { log, watch, program, files }: Parts,
): OpenConsole | null {
  const { dataDir, adminPort, consoleOrigin } = configuration;
  const mode = consoleModeOf(configuration);
  if (mode === "off" || adminPort === 0) return null;
  const secret = newSecret(systemRandom);
  const file = secretFile(dataDir);
  files.put(file, () => {
    writeAnew(file, secret, OWNER_ONLY); // Also where a killed service left one.
  });
  const { context, store } = service;
  const began_at = context.clock.now();
  const runs = program === null ? null : reportRuns({ configuration, program, now: systemSeconds });
  const scan = program === null ? null : scanner(program, SCAN_MAX_MS);
  return {
    origin: consoleOrigin,
    serve: (answering) =>
      createConsole({
        answers: answering(CONSOLE_HEADERS),
        reportAnswers: answering(REPORT_HEADERS),
        runs,
        scan,
        mode,
        context,
        secret,
        random: systemRandom,
        now: systemSeconds,
        port: () => adminPort,
        origin: consoleOrigin,
        async acted({ name: act, values, result }) {
          log.info({ act, via: "console" }, "operator act");
          await noteAct(context, { person: "-", via: "console", act, values, result });
        },
        wording: routeWording(service.registry),
        watch: {
          ...watch,
          agents: async () => agentsIn(await allCounts(store.probe)),
          room: () => store.room(),
          diskDays: () => service.quota.daysLeft() ?? null,
          lastBackup: () => lastBackup(dataDir)?.at ?? null,
          logTail: log.tail,
          process: {
            release: PACKAGE_VERSION,
            engine: configuration.databaseUrl === null ? "SQLite" : "PostgreSQL",
            began_at,
            settings: shownSettings(process.env, {}, configuration),
          },
        },
      }),
    close() {
      runs?.stop();
      rmSync(file, { force: true });
    },
  };
}
