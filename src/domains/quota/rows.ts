import { local } from "../../platform/ledger/rows/columns.ts";

/** Tables of what agents store on a day, which only this service counts. */
export const otherTables = {
  agent_bytes: local("agent", "day", "bytes"),
  disk_day: local("day", "room_bytes", "newcomers_bytes", "others_bytes"),
} as const;
