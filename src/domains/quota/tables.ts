import type { Seconds } from "../../platform/kernel/time.ts";

/** What an agent stored on a UTC day, as its writes were charged. */
interface AgentBytesTable {
  agent: number;
  /** The day's first second. */
  day: Seconds;
  bytes: number;
}

/** Kept for the embedded engine alone. */
interface DiskDayTable {
  day: Seconds;
  /** The bytes that were free above the floor when the day began. */
  room_bytes: number;
  newcomers_bytes: number;
  others_bytes: number;
}

export interface QuotaTables {
  agent_bytes: AgentBytesTable;
  disk_day: DiskDayTable;
}
