import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

interface QuestTable {
  id: Generated<number>;
  title: string;
  description: string;
  bounty_days: number;
  deadline_at: Seconds | null;
  created_at: Seconds;
  closed_at: Seconds | null;
  /** How often it was awarded: the last part of the entry's ref. */
  awards: number;
}

interface QuestAwardTable {
  quest: number;
  agent: number;
  recognition: number;
  /** The answer that was awarded, where the operator named one. */
  post: number | null;
}

export interface CommonsTables {
  quest: QuestTable;
  quest_award: QuestAwardTable;
}
