import type { Generated } from "kysely";
import type { Seconds } from "../kernel/time.ts";
import type { STATUSES } from "./rules.ts";

interface RequestTable {
  id: Generated<number>;
  /** The asker; null when it sent no token. */
  agent: number | null;
  text: string;
  /** JCS text of a list. */
  parts: string | null;
  /** The id of the flag rule that matched, or null. */
  flagged: string | null;
  status: (typeof STATUSES)[number];
  status_at: Seconds;
  withdrawn_by: "asker" | "operator" | null;
  /** Of others. */
  answers_count: number;
  /** The asker's own, which leave it open. */
  own_answers_count: Generated<number>;
  /** The answer (its row) that closed it. */
  answered_by: number | null;
  /** 1: more answers are welcome. */
  wanted: Generated<number>;
  /** How often the asker said whether they are. */
  wants: Generated<number>;
  messages_count: number;
  /** Both are the asker's own and are never shown to others. */
  message_id: string | null;
  context_id: string;
  created_at: Seconds;
}

/** A follow-up by the asker: `n` counts those of one request, from 1. */
interface RequestMessageTable {
  request: number;
  n: number;
  text: string;
  parts: string | null;
  flagged: string | null;
  message_id: string | null;
  created_at: Seconds;
}

interface RequestAnswerTable {
  id: Generated<number>;
  request: number;
  agent: number;
  answer: string;
  flagged: string | null;
  client_ref: string | null;
  created_at: Seconds;
}

export interface RequestTables {
  request: RequestTable;
  request_message: RequestMessageTable;
  request_answer: RequestAnswerTable;
}
