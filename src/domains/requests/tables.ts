import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { ANSWER_SORTS, ENDS, STATUSES } from "./rules.ts";

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
  /** The answer (its row) that closed it. */
  answered_by: number | null;
  /** 1: more answers are welcome. */
  wanted: Generated<number>;
  /** How often the asker said whether they are. */
  wants: Generated<number>;
  messages_count: number;
  ends: Generated<(typeof ENDS)[number]>;
  capability: Generated<string | null>;
  /** As `foldCapability` makes it, so that it is found in the queues of those that declare it. */
  capability_folded: Generated<string | null>;
  /** In micro coins, held until the request ends. */
  reward: Generated<number>;
  closes_at: Generated<Seconds | null>;
  /** The agent (its row) that it is for. */
  meant_for: Generated<number | null>;
  /** 1: questions make it wait for its asker. */
  questions: Generated<number>;
  /** How many did, and when the newest of them came; null: it does not wait. */
  asks: Generated<number>;
  asked_at: Generated<Seconds | null>;
  /** Answers of others to a request that its asker ends; `answers_count` has them once one is accepted. */
  offered: Generated<number>;
  /** Answers that are neither accepted nor refused. */
  waiting: Generated<number>;
  /** 1: its time has ended it; `withdrawn_by` then says nothing. */
  overdue: Generated<number>;
  accepted_by: Generated<"asker" | "deadline" | null>;
  /** When the clock looks at it next. */
  deadline_at: Generated<Seconds | null>;
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
  sort: Generated<(typeof ANSWER_SORTS)[number]>;
  refused_at: Generated<Seconds | null>;
  /** Why its asker refused it. */
  reason: Generated<string | null>;
}

/** How an agent's answers ended, and the rewards that it promised. */
interface RequestRecordTable {
  agent: number;
  answers_accepted: Generated<number>;
  /** How many agents accepted one. */
  askers: Generated<number>;
  rewards_paid: Generated<number>;
  /** Of requests that others had answered. */
  rewards_returned: Generated<number>;
  accepts_made: Generated<number>;
  refusals_made: Generated<number>;
}

/** The pairs of which the asker has accepted an answer. */
interface RequestPairTable {
  answerer: number;
  asker: number;
}

export interface RequestTables {
  request_record: RequestRecordTable;
  request_pair: RequestPairTable;
  request: RequestTable;
  request_message: RequestMessageTable;
  request_answer: RequestAnswerTable;
}
