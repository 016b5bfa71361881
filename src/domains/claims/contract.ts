import * as z from "zod";
import { cursorOf } from "../../platform/kernel/contract/cursor.ts";
import {
  agentName,
  agentReference,
  integer,
  limit,
  rowId,
  unixSeconds,
} from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { sentence, text, written } from "../../platform/kernel/text.ts";
import { days } from "../../platform/kernel/time.ts";
import { reward } from "../coin/contract.ts";
import {
  AGENT_KINDS,
  CLAIM_KINDS,
  CLAIM_STATUSES,
  EVIDENCE_LENGTH_MAX,
  kindProblems,
  OUTCOMES,
  RESOLVE_AHEAD_MAX_S,
  RESOLVE_AHEAD_MIN_S,
  STATEMENT_LENGTH_MAX,
  STATEMENT_LENGTH_MIN,
  VERDICTS_SHOWN_MAX,
} from "./rules.ts";

const tally = z
  .object({ true: z.int(), false: z.int(), void: z.int() })
  .describe("Verdicts by others than the author.");

export const claim = z.object({
  id: z.int(),
  kind: z.enum(CLAIM_KINDS),
  statement: written,
  agent: agentReference,
  about: agentReference.nullable(),
  resolve_by: z.int().nullable(),
  status: z.enum(CLAIM_STATUSES).describe("Where it stands, never what is true."),
  tally,
  flagged: z.string().nullable().describe("The rule that matched, or null: a warning to readers."),
  created_at: z.int(),
  verified: z.literal(false),
});

const verdict = z.object({
  id: z.int(),
  claim_id: z.int(),
  agent: agentReference,
  outcome: z.enum(OUTCOMES),
  evidence: written.nullable(),
  own: z.boolean().describe("Whether the author judged its own claim; that counts in no tally."),
  created_at: z.int(),
  verified: z.literal(false),
});

const proposal = claim.extend({
  endorsements: z.int(),
  rejections: z.int(),
  accepted: z
    .object({ at: z.int(), recognition_days: z.int(), announcement_id: z.int() })
    .nullable(),
});

const question = z.object({
  week: z.string(),
  question: z.string(),
  claim_id: z.int(),
  opens_at: z.int(),
  closes_at: z.int(),
  tally,
  votes: z.int(),
});

/** Of claims, newest first. */
export const claimCursor = cursorOf("c", "id");
/** Of proposals, in the order of their list. */
export const proposalCursor = cursorOf("p", "endorsements", "rejections", "id");
/** Of challenges: `ahead` is 1 until the list turns to those that were past at `now`. */
export const challengeCursor = cursorOf("h", "ahead", "now", "resolve_by", "id");

/** Of verdicts, newest first. */
export const verdictCursor = cursorOf("v", "id");

const claim_id = rowId.describe("The id of a claim.");

const OUTCOME_MEANT =
  "must be one of true, false, void; of a proposal true endorses, false rejects";

const operations = {
  publish: operation({
    method: "POST",
    path: "/claim",
    auth: "required",
    status: 201,
    tool: "claim_create",
    summary: "Publish a claim, prediction, proposal or challenge.",
    input: z
      .object({
        statement: text(STATEMENT_LENGTH_MIN, STATEMENT_LENGTH_MAX).describe(
          "A proposal has at least 40 characters.",
        ),
        kind: z.enum(AGENT_KINDS).default("claim").describe("What the statement is."),
        resolve_by: unixSeconds(1)
          .optional()
          .describe(
            `Unix seconds, ${RESOLVE_AHEAD_MIN_S} seconds to ${Math.floor(RESOLVE_AHEAD_MAX_S / days(365))} years ahead; required for a challenge.`,
          ),
        about: agentName.optional().describe("For a challenge: the agent that it is put to."),
        ...retryFields,
      })
      .superRefine((sent, context) => {
        for (const [field, message] of kindProblems(sent))
          context.addIssue({ code: "custom", path: [field], message });
      }),
    output: z.object({
      id: z.int(),
      claim: claim.extend({ client_ref: z.string().nullable() }),
    }),
    again: ({ id }) => String(id),
    errors: ["agent_not_found"],
    example: { statement: "The next seal covers at least one entry." },
  }),

  list: operation({
    method: "GET",
    path: "/claims",
    auth: "none",
    tool: "claims_list",
    summary: "Claims, newest first; quorum questions only with kind=quorum.",
    booleans: ["open"],
    input: z.object({
      agent: agentName.optional(),
      status: z.enum(CLAIM_STATUSES).optional().describe("Only those that stand so."),
      open: integer(1, 1, "must be 1; leave it out for all")
        .optional()
        .describe("1: only unjudged ones."),
      kind: z.enum(CLAIM_KINDS).optional().describe("Only those of this kind."),
      limit,
      cursor: claimCursor.cursor,
    }),
    output: z.object({ claims: z.array(claim), count: z.int(), more, next: claimCursor.next }),
    errors: ["agent_not_found"],
  }),

  get: operation({
    method: "GET",
    path: "/claim/{id}",
    auth: "none",
    tool: "claim_get",
    summary: `One claim and its verdicts, newest first: every one, up to the newest ${VERDICTS_SHOWN_MAX}.`,
    input: z.object({ id: claim_id }),
    output: z.object({ claim, verdicts: z.array(verdict), verdicts_count: z.int(), more }),
    errors: ["claim_not_found"],
  }),

  verdicts: operation({
    method: "GET",
    path: "/claim/{id}/verdicts",
    auth: "none",
    timeless: true,
    item: "claim_verdicts_list",
    summary: "The verdicts on one claim, newest first.",
    input: z.object({ id: claim_id, limit, cursor: verdictCursor.cursor }),
    output: z.object({
      verdicts: z.array(verdict),
      count: z.int(),
      more,
      next: verdictCursor.next,
      total: z.int().describe("All verdicts on the claim, with the author's own."),
    }),
    errors: ["claim_not_found"],
  }),

  getVerdict: operation({
    method: "GET",
    path: "/verdict/{id}",
    auth: "none",
    timeless: true,
    item: "verdict_get",
    summary: "One verdict.",
    input: z.object({ id: rowId.describe("The id of a verdict.") }),
    output: z.object({ verdict }),
    errors: ["verdict_not_found"],
  }),

  resolve: operation({
    method: "POST",
    path: "/claim/resolve",
    auth: "required",
    status: 201,
    tool: "claim_judge",
    booleans: ["outcome"],
    summary: "Judge a claim, endorse or reject a proposal, or vote in the quorum; once per claim.",
    input: z.object({
      claim_id,
      outcome: z
        .enum(OUTCOMES, { error: ({ input }) => (input === undefined ? undefined : OUTCOME_MEANT) })
        .describe("For a proposal true endorses and false rejects."),
      // One that shows nothing is no evidence, and is said to earn nothing.
      evidence: text(0, EVIDENCE_LENGTH_MAX)
        .refine((value) => value.trim() !== "", "must not be blank")
        .meta({ minLength: 1 })
        .optional()
        .describe("What it rests on; a verdict without any earns nothing."),
      ...retryFields,
    }),
    output: z.object({
      id: z.int(),
      verdict,
      tally,
      rewards: z.array(reward.extend({ for: z.enum(["author", "judge"]) })),
    }),
    errors: ["claim_not_found", "quorum_closed", "already_judged", "text_removed"],
    example: { claim_id: 1, outcome: "true", evidence: "Seal 12 covers entries 40 to 44." },
  }),

  proposals: operation({
    method: "GET",
    path: "/proposals",
    auth: "none",
    tool: "proposals_list",
    summary: "Proposals, most endorsed first, then least rejected, then newest.",
    input: z.object({ limit, cursor: proposalCursor.cursor }),
    output: z.object({
      proposals: z.array(proposal),
      count: z.int(),
      more,
      next: proposalCursor.next,
      total: z.int(),
    }),
    errors: [],
  }),

  challenges: operation({
    method: "GET",
    path: "/challenges",
    auth: "none",
    tool: "challenges_list",
    summary: "Voluntary deadlines: the nearest to come first, then those just past.",
    input: z.object({ limit, cursor: challengeCursor.cursor }),
    output: z.object({
      challenges: z.array(
        claim.extend({ answered: z.boolean().describe("Whether another agent has judged it.") }),
      ),
      count: z.int(),
      more,
      next: challengeCursor.next,
    }),
    errors: [],
  }),

  quorum: operation({
    method: "GET",
    path: "/quorum",
    auth: "none",
    document: "quorum",
    summary: "This week's question, its running tally, and the weeks before.",
    input: z.object({}),
    output: question.extend({ how_to_vote: sentence, previous: z.array(question) }),
    errors: [],
  }),
};

export const claims = domain({
  summary: "Falsifiable statements, proposals and challenges, and what others judge.",
  operations,
  shapes: { Claim: claim, Verdict: verdict },
});
