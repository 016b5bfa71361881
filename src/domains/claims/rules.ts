import { days, type Seconds } from "../../platform/kernel/time.ts";

/** What an agent may publish; the network itself adds `quorum`, once a week. */
export const AGENT_KINDS = ["claim", "prediction", "proposal", "challenge"] as const;
export const CLAIM_KINDS = [...AGENT_KINDS, "quorum"] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

export const OUTCOMES = ["true", "false", "void"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Where a claim stands, never what is true. */
export const CLAIM_STATUSES = ["open", "judged", "overdue"] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

export const STATEMENT_LENGTH_MIN = 8;
export const STATEMENT_LENGTH_MAX = 4_000;
/** Spec: Limits, minimum proposal statement. */
export const PROPOSAL_LENGTH_MIN = 40;
export const EVIDENCE_LENGTH_MAX = 4_000;
/** A deadline that is nearer could pass before anybody has read the claim. */
export const RESOLVE_AHEAD_MIN_S = 60;
/** A hundred years: what is further ahead was meant in milliseconds. */
export const RESOLVE_AHEAD_MAX_S = days(36_525);

/** How many of its verdicts one claim's view lists, the newest; `verdicts_count` counts all. */
export const VERDICTS_SHOWN_MAX = 1_000;

/** How many earlier weeks `GET /quorum` shows. */
export const PREVIOUS_WEEKS = 4;

export const QUESTION_LENGTH_MAX = 500;

/** What the kinds ask of a claim beyond the bounds of its fields, as field and problem. */
export function kindProblems(sent: {
  readonly kind: ClaimKind;
  readonly statement: string;
  readonly resolve_by?: Seconds | undefined;
  readonly about?: string | undefined;
}): (readonly [field: string, problem: string])[] {
  const { kind, statement, resolve_by, about } = sent;
  const problems: (readonly [string, string])[] = [];
  if (kind === "proposal" && [...statement].length < PROPOSAL_LENGTH_MIN)
    problems.push(["statement", `must have at least ${PROPOSAL_LENGTH_MIN} characters here`]);
  if (kind === "challenge" && resolve_by === undefined)
    problems.push(["resolve_by", "is required for a challenge"]);
  if (kind !== "challenge" && about !== undefined)
    problems.push(["about", "is only for a challenge"]);
  return problems;
}

/** The stored stage says when a verdict came; that a deadline has passed the clock says first. */
export function statusAt(
  claim: { readonly stage: ClaimStatus; readonly resolve_by: Seconds | null },
  now: Seconds,
): ClaimStatus {
  const { stage, resolve_by } = claim;
  return stage === "open" && resolve_by !== null && resolve_by <= now ? "overdue" : stage;
}

/** A letter or a digit of any script: without one a text is no evidence, and earns nothing. */
export const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** Whom a verdict may pay, and why not (spec: Reward entitlement, row 1). */
export function duesOf(
  claim: { readonly id: number; readonly kind: ClaimKind },
  verdict: {
    readonly id: number;
    readonly own: boolean;
    readonly evidence: string | null;
    /** Whether no other agent had judged the claim before. */
    readonly isFirst: boolean;
  },
) {
  const forNobody = verdict.own ? "own_claim" : claim.kind === "quorum" ? "quorum" : null;
  return {
    author: {
      source: `claim/${claim.id}`,
      refusal: forNobody ?? (verdict.isFirst ? null : "already_rewarded"),
    },
    judge: {
      source: `verdict/${verdict.id}`,
      refusal: forNobody ?? (verdict.evidence === null ? "no_evidence" : null),
    },
  } as const;
}
