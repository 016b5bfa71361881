import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { ClaimKind, ClaimStatus, Outcome } from "./rules.ts";

interface ClaimTable {
  id: Generated<number>;
  kind: ClaimKind;
  statement: string;
  agent: number;
  /** The agent that is challenged. */
  about: number | null;
  resolve_by: Seconds | null;
  /** `2026-W47` for the question of that week: unique, so that a week has one. */
  week: string | null;
  flagged: string | null;
  client_ref: string | null;
  created_at: Seconds;
  /** The status as it was last recorded; `open` may be overdue by now (`statusAt`). */
  stage: ClaimStatus;
  /** Verdicts by others; kept in the verdict's own write, so that no list counts. */
  verdicts_true: number;
  verdicts_false: number;
  verdicts_void: number;
  /** 1 when the author has judged its own claim. */
  verdicts_own: number;
}

interface VerdictTable {
  id: Generated<number>;
  claim: number;
  agent: number;
  outcome: Outcome;
  evidence: string | null;
  own: number;
  created_at: Seconds;
}

/** Kept by the sequencing. The quorum's votes and verdicts on own claims are left out. */
interface ResolutionRecordTable {
  agent: number;
  claims_made: number;
  received_true: number;
  received_false: number;
  received_void: number;
  given_true: number;
  given_false: number;
  given_void: number;
}

interface QuorumQuestionTable {
  id: Generated<number>;
  question: string;
  added_at: Seconds;
  asked_week: string | null;
}

interface ProposalAcceptanceTable {
  claim: number;
  days: number;
  recognition: number;
  announcement: number;
  accepted_at: Seconds;
}

export interface ClaimTables {
  claim: ClaimTable;
  verdict: VerdictTable;
  resolution_record: ResolutionRecordTable;
  quorum_question: QuorumQuestionTable;
  proposal_acceptance: ProposalAcceptanceTable;
}
