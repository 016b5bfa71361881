import { join } from "node:path";
import { lastRehearsal, rehearsalIn } from "../../main/service/rehearsal.ts";
import { lastBackup } from "../../main/storage/last-backup.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import type { Finding, Patient } from "./finding.ts";

const about = "rehearsal";

/** When a restore was last rehearsed, where there are backups. */
export async function checkRehearsal({ configuration }: Patient): Promise<Finding[]> {
  const { dataDir, backupDir } = configuration;
  const here = rehearsalIn(dataDir);
  if (here !== null) {
    const text = `This folder rehearses a restore of ${here.file}, of ${isoOf(here.at)}. A service here reads only.`;
    return [{ about, state: "ok", text }];
  }
  const backup = backupDir === null ? lastBackup(dataDir)?.file : join(backupDir, "any");
  if (backup === undefined) return [];
  const last = lastRehearsal(backup);
  if (last !== null) {
    const text = `The last rehearsal of a restore was at ${isoOf(last.at)}, of ${last.file}.`;
    return [{ about, state: "ok", text }];
  }
  const text = "No rehearsal of a restore is noted beside the backups.";
  const advice = "See docs/operating/rehearse.md.";
  return [{ about, state: "ok", text, advice }];
}
