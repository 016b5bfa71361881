import { openReports } from "../../domains/operator/overview-queries.ts";
import { diskFallPerSecond } from "../../domains/operator/samples/disk-fall.ts";
import type { Db, DiskRoom } from "../../platform/db/engine.ts";
import { days, HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import { entryById } from "../../platform/ledger/entry-queries.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import type { Configuration } from "../settings/settings.ts";
import { lastBackup } from "../storage/last-backup.ts";
import { shared } from "./shared.ts";

interface Parts {
  readonly read: Db;
  readonly now: () => Seconds;
  /** Null where the disk is the PostgreSQL server's. */
  readonly space: () => Pick<DiskRoom, "free_bytes" | "floor_bytes" | "large_floor_bytes"> | null;
  readonly configuration: Pick<Configuration, "dataDir" | "backupDir" | "backupEvery_h">;
}

/** A backup is missed after so long, or after twice the interval at which the service makes them. */
const BACKUP_AGE_MAX_S = days(2);

const backupAgeMax_s = ({ backupDir, backupEvery_h }: Parts["configuration"]): Seconds =>
  backupDir === null ? BACKUP_AGE_MAX_S : Math.max(BACKUP_AGE_MAX_S, 2 * backupEvery_h * HOUR_S);

/** The operator's upkeep: reports, backups and the disk. */
export function upkeepMeasures({ read, now, space, configuration }: Parts): Measure[] {
  const reports = shared(() => openReports.first(read, {}));
  const { dataDir } = configuration;
  return [
    {
      name: "cairn_reports_open",
      help: "Posts with reports that the operator has not decided.",
      collect: async () => (await reports())?.posts ?? 0,
    },
    {
      name: "cairn_oldest_report_seconds",
      help: "Age of the oldest report that the operator has not decided.",
      async collect() {
        const first_at = (await reports())?.first_at ?? null;
        return first_at === null ? 0 : Math.max(0, now() - first_at);
      },
    },
    {
      name: "cairn_last_backup_timestamp_seconds",
      help: "When `cairn backup` made its last copy; 0 before the first.",
      collect: () => lastBackup(dataDir)?.at ?? 0,
    },
    {
      name: "cairn_backup_age_seconds",
      help: "Time since `cairn backup` made its last copy; before the first, since the ledger began.",
      async collect() {
        const since =
          lastBackup(dataDir)?.at ?? (await entryById.first(read, { ledger_id: 1 }))?.at;
        return since == null ? 0 : Math.max(0, now() - since);
      },
    },
    {
      name: "cairn_backup_age_max_seconds",
      help: "After so long a backup is missed.",
      collect: () => backupAgeMax_s(configuration),
    },
    {
      name: "cairn_disk_free_bytes",
      help: "Free bytes of the disk under a database that is a file.",
      collect: () => space()?.free_bytes ?? [],
    },
    {
      name: "cairn_disk_floor_bytes",
      help: "Below so many free bytes no write begins.",
      collect: () => space()?.floor_bytes ?? [],
    },
    {
      name: "cairn_disk_large_floor_bytes",
      help: "Below so many free bytes no large write begins.",
      collect: () => space()?.large_floor_bytes ?? [],
    },
    {
      name: "cairn_disk_fall_bytes_per_second",
      help: "How fast the free bytes fall: the greater pace of the last hour and day; 0 in the first hour.",
      async collect() {
        const free_bytes = space()?.free_bytes;
        if (free_bytes === undefined) return [];
        return diskFallPerSecond(read, { now: now(), free_bytes });
      },
    },
  ];
}
