import { agentsIn, type Counts } from "../../counters/counts.ts";
import { openReports } from "../../operator/overview-queries.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import type { Service } from "../service/open-service.ts";
import { lastBackup } from "../storage/last-backup.ts";
import { PACKAGE_VERSION } from "../version.ts";
import { shared } from "./shared.ts";

interface Parts {
  readonly dataDir: string;
  readonly engine: "sqlite" | "postgres";
  /** Processes that answer the network. */
  readonly answering: () => number;
  readonly counts: () => Promise<Counts>;
}

/** The program, its database and its disk; what waits for the operator. */
export function machineMeasures(
  { store, quota }: Service,
  { dataDir, engine, answering, counts }: Parts,
): Measure[] {
  const reports = shared(() => openReports.first(store.probe, {}));
  return [
    {
      name: "cairn_build_info",
      help: "1, with the release, Node and the engine of the storage.",
      collect: () => [[{ version: PACKAGE_VERSION, node: process.version, engine }, 1]],
    },
    { name: "cairn_workers", help: "Processes that answer the network.", collect: answering },
    {
      name: "cairn_replica_used",
      help: "1 while a replica answers public reads.",
      collect: () => (store.replica?.isUsed() === true ? 1 : 0),
    },
    {
      name: "cairn_agents",
      help: "Agents that registered.",
      collect: async () => agentsIn(await counts()),
    },
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
        return first_at === null ? 0 : Math.max(0, store.now() - first_at);
      },
    },
    { name: "cairn_database_bytes", help: "Size of the database.", collect: store.bytes },
    {
      name: "cairn_sqlite_free_pages",
      help: "Pages of the database file that hold nothing.",
      collect: () => store.room()?.free_pages ?? 0,
    },
    {
      name: "cairn_disk_free_bytes",
      help: "Free bytes of the disk under a database that is a file.",
      collect: () => store.room()?.free_bytes ?? [],
    },
    {
      name: "cairn_disk_floor_bytes",
      help: "Below so many free bytes no large write begins.",
      collect: () => store.room()?.floor_bytes ?? [],
    },
    {
      name: "cairn_disk_days_left",
      help: "Days that the disk lasts at the pace of today.",
      collect: () => quota.daysLeft() ?? 0,
    },
    {
      name: "cairn_last_backup_timestamp_seconds",
      help: "When `cairn backup` made its last copy; 0 before the first.",
      collect: () => lastBackup(dataDir)?.at ?? 0,
    },
  ];
}
