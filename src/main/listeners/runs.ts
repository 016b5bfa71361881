import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import {
  type Report,
  type ReportRuns,
  RUN_NAMES,
  type RunName,
} from "../../surfaces/console/parts.ts";
import type { Configuration } from "../settings/settings.ts";

/** Reports that are kept. */
const KEPT = 10;
const OWNER_ONLY = { file: 0o600, folder: 0o700 };
const LOWEST = 19;

/** `audit-1795486669-0.html`: the command, when it began, its exit code. */
const FILE = /^(verify|audit|doctor)-(\d{1,12})-(\d{1,3})\.(?:txt|html)$/;

/** How `cairn` is started beside the service, with the same settings. */
export interface Program {
  /** The executable and its first arguments. */
  readonly words: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the service was told, by variable; paths are absolute. */
  readonly settings: Readonly<Record<string, string>>;
}

interface Parts {
  readonly configuration: Pick<Configuration, "dataDir" | "host" | "port">;
  readonly program: Program;
  readonly now: () => Seconds;
}

/** The service on this machine, whatever its public name is. */
function ownAddress({ host, port }: Parts["configuration"]): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

/** Verify, audit and doctor as processes of their own: one at a time, at the lowest priority, an hour at most. */
export function reportRuns({ configuration, program, now }: Parts): ReportRuns & { stop(): void } {
  const folder = join(configuration.dataDir, "reports");
  const url = ownAddress(configuration);
  const state = ["--state", join(folder, "heads.json")];
  let running: { readonly name: RunName; readonly began_at: Seconds; stop(): void } | null = null;

  const list = (): readonly Report[] => reportsIn(folder);

  return {
    running: () => running,
    list,
    read: (file) => (FILE.test(file) ? textOf(join(folder, file)) : null),
    start(name) {
      if (running !== null) return false;
      mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
      const began_at = now();
      const part = join(folder, "part.txt");
      const page = join(folder, "part.html");
      const words = {
        verify: ["verify", url, "--entries", ...state],
        audit: ["audit", url, "--html", page, ...state],
        doctor: ["doctor"],
      }[name];
      rmSync(page, { force: true });
      const out = openSync(part, "w", OWNER_ONLY.file);
      const [file, ...first] = program.words;
      const child = spawn(file, [...first, ...words], {
        env: program.environment,
        stdio: ["ignore", out, out],
        timeout: HOUR_S * 1_000,
      });
      closeSync(out);
      if (child.pid !== undefined) setPriority(child.pid, LOWEST);
      running = { name, began_at, stop: () => child.kill() };
      const end = (code: number) => {
        running = null;
        recordRun(folder, { name, began_at, code });
        for (const { file: old } of list().slice(KEPT)) rmSync(join(folder, old), { force: true });
      };
      child.once("error", () => end(1));
      child.once("exit", (code) => end(code ?? 1));
      return true;
    },
    stop: () => running?.stop(),
  };
}

interface Ended {
  readonly name: RunName;
  readonly began_at: Seconds;
  readonly code: number;
}

/** Gives the output its name: the page where the command wrote one, else its text. */
function recordRun(folder: string, { name, began_at, code }: Ended): void {
  const type = existsSync(join(folder, "part.html")) ? "html" : "txt";
  renameSync(join(folder, `part.${type}`), join(folder, `${name}-${began_at}-${code}.${type}`));
  rmSync(join(folder, "part.txt"), { force: true });
}

/** The newest first. */
function reportsIn(folder: string): readonly Report[] {
  const files = readdirOf(folder);
  return files
    .flatMap((file) => {
      const [, word, at, code] = FILE.exec(file) ?? [];
      const name = RUN_NAMES.find((each) => each === word);
      if (name === undefined) return [];
      return [{ file, name, began_at: Number(at), exit_code: Number(code) }];
    })
    .sort((a, b) => b.began_at - a.began_at);
}

function readdirOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing was ever run.
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
