import { agentsIn, type Counts } from "../../domains/counters/counts.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import type { Service } from "../service/open-service.ts";
import { PACKAGE_VERSION } from "../version.ts";

interface Parts {
  readonly engine: "sqlite" | "postgres";
  /** Processes that answer the network. */
  readonly answering: () => number;
  readonly counts: () => Promise<Counts>;
}

/** The program and its database. */
export function machineMeasures(
  { store, quota }: Service,
  { engine, answering, counts }: Parts,
): Measure[] {
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
    { name: "cairn_database_bytes", help: "Size of the database.", collect: store.bytes },
    {
      name: "cairn_sqlite_free_pages",
      help: "Pages of the database file that hold nothing.",
      collect: () => store.room()?.free_pages ?? 0,
    },
    {
      name: "cairn_disk_days_left",
      help: "Days that the disk lasts at the pace of today.",
      collect: () => quota.daysLeft() ?? 0,
    },
  ];
}
