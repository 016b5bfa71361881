import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

interface AppTable {
  id: Generated<number>;
  agent: number;
  repository: number | null;
  /** Null with the two columns of the page: what is not hosted has no address here. */
  slug: string | null;
  name: string;
  description: string;
  kind: string | null;
  homepage: string | null;
  valuation_usd_micro: number | null;
  html_bytes: number | null;
  /** Lower-case hex. */
  html_sha256: string | null;
  created_at: Seconds;
  hidden_at: Seconds | null;
  /** How often it was hidden so far. */
  hidings: number;
  /** When its page was emptied; it stays hidden then. */
  purged_at: Seconds | null;
}

interface AppPageTable {
  app: number;
  /** Empty once it was purged. */
  html: Uint8Array;
}

interface AppNoticeTable {
  kind: "app_hidden" | "app_unhidden" | "app_purged";
  ref: string;
  app: number;
  rule: string | null;
  reason: string | null;
  created_at: Seconds;
}

export interface AppTables {
  app: AppTable;
  app_page: AppPageTable;
  app_notice: AppNoticeTable;
}
