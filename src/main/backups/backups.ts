import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { HOUR_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import { speaks } from "../alerts/alerts.ts";
import type { Job } from "../jobs/jobs.ts";
import type { Program } from "../listeners/runs.ts";
import type { Service } from "../service/open-service.ts";
import type { Configuration } from "../settings/settings.ts";
import { lastBackup } from "../storage/last-backup.ts";

const LOOK_EVERY_MS = 60_000;
const LOWEST = 19;

/** A copy needs as much space as the database, and some for what is written meanwhile. */
const SPACE = 1.2;

/** The end of what a failing backup printed. */
const PRINTED_MAX = 500;

/** `cairn-20270115T080000Z.db`: the names that `cairn backup` gives in a folder. */
const COPY = /^cairn-\d{8}T\d{6}Z\.(?:db|ndjson\.gz)$/;

type BackupSettings = Pick<
  Configuration,
  "backupDir" | "backupEvery_h" | "backupKeep" | "dataDir" | "databaseUrl"
>;

/** Copies that `cairn backup` has made in a folder, the oldest first. Throws when there is no such folder. */
export const copiesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => COPY.test(name))
    .sort();

/** Why no backup begins now, in a sentence; null when one can. */
export function whyNotBackUp(folder: string, database_bytes: number): string | null {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return `There is no folder ${folder} for backups: is its disk mounted?`;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < SPACE * database_bytes
    ? `A backup needs ${Math.ceil((SPACE * database_bytes) / 1_048_576)} MiB in ${folder}.`
    : null;
}

/** Removes the oldest copies, so that no more than `keep` are left. */
export function removeOld(folder: string, keep: number): void {
  for (const name of copiesIn(folder).slice(0, -keep)) rmSync(join(folder, name));
}

/** Runs `cairn backup` as a process of its own, at the lowest priority. Rejects with what it said. */
async function backUp({ words, environment }: Program, folder: string, most_s: Seconds) {
  const [file, ...first] = words;
  const child = spawn(file, [...first, "backup", join(folder, "/")], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: most_s * 1_000,
  });
  if (child.pid !== undefined) setPriority(child.pid, LOWEST);
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed = (printed + chunk).slice(-PRINTED_MAX);
  });
  const [code, signal] = await once(child, "close");
  if (code !== 0)
    throw new Error(
      signal === null
        ? `The backup ended with exit code ${code}: ${printed.trim()}`
        : `The backup took longer than ${most_s / MINUTE_S} minutes.`,
    );
}

/**
 * Makes backups by itself, where a folder is set: the node that speaks for the network does, never two at a time. One
 * that would last longer than the interval is ended. Old copies go only after a new one has been checked.
 */
export function backupJobs(
  service: Pick<Service, "store" | "signer">,
  settings: BackupSettings,
  { program, now }: { readonly program: Program | null; readonly now: () => Seconds },
): readonly Job[] {
  const { backupDir, backupEvery_h, backupKeep, dataDir } = settings;
  if (backupDir === null || program === null || !speaks(service, settings)) return [];
  const every_s = backupEvery_h * HOUR_S;
  async function run(): Promise<void> {
    if (backupDir === null || program === null) return;
    if (now() - (lastBackup(dataDir)?.at ?? 0) < every_s) return;
    const why = whyNotBackUp(backupDir, await service.store.bytes());
    if (why !== null) throw new Error(why);
    await backUp(program, backupDir, every_s);
    removeOld(backupDir, backupKeep);
  }
  return [{ name: "backup", every_ms: LOOK_EVERY_MS, run }];
}
