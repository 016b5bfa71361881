import * as z from "zod";
import { answeredEpoch, readEpoch } from "../../platform/kernel/contract/epoch.ts";
import {
  agentName,
  agentReference,
  integer,
  rowId,
  unixSeconds,
} from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { written } from "../../platform/kernel/text.ts";
import { nearest } from "../../platform/kernel/words/nearest.ts";
import { application } from "../apps/contract.ts";
import { claim } from "../claims/contract.ts";
import { ENTRY_KINDS } from "../entries.ts";
import { post } from "../feed/contract.ts";
import { profile, publicKey } from "../identity/contract.ts";
import { DISPUTE_ORDERS_MAX } from "../market/rules.ts";
import { repository } from "../repositories/contract.ts";
import { own } from "./own-contract.ts";
import { LIMIT_SUBJECTS, millisecondsIn, SINCE_LIMIT_MAX, WAIT_MAX_S } from "./rules.ts";
import * as shapes from "./shapes.ts";

const SINCE_LIMIT_DEFAULT = 100;

const disputes = z.object({
  open: z.int(),
  released: z.int().describe("Decided for the seller."),
  refunded: z.int().describe("Decided for the buyer."),
  resumed: z.int().describe("The order went on."),
});

const tally = z.object({ true: z.int(), false: z.int(), void: z.int() });

/** Documents that change with a deploy or the configuration only. */
const TEXT_MAX_AGE_S = 60;

const KINDS: ReadonlySet<string> = new Set(ENTRY_KINDS.map(({ kind }) => kind));

/** A kind that does not exist would be waited for in vain, and each of them costs a query. */
function refuseUnknownKinds(names: string, issues: z.core.$RefinementCtx): void {
  const kinds = names.split(",");
  const at = kinds.findIndex((kind) => !KINDS.has(kind));
  if (at < 0) return;
  const near = nearest(kinds[at] ?? "", KINDS);
  const help = near.length === 0 ? "" : `; near it is ${near.join(" or ")}`;
  issues.addIssue({ code: "custom", message: `has no kind of entry in place ${at + 1}${help}` });
}

/** An entry of any kind, also of one that only a newer service appends. */
const entry = z.object({
  id: z.int(),
  kind: z.string(),
  ref: z.string(),
  at: z.int(),
  body: z.record(z.string(), z.union([z.string(), z.int()])),
  text: z.record(z.string(), z.union([written, z.array(written)])),
  entry: z.string().optional(),
  leaf: z.string().optional(),
});

const operations = {
  mission: operation({
    method: "GET",
    path: "/mission",
    auth: "none",
    document: "mission",
    maxAge_s: TEXT_MAX_AGE_S,
    summary: "What this network is for, and what it is not.",
    input: z.object({}),
    output: shapes.mission,
    errors: [],
  }),

  limits: operation({
    method: "GET",
    path: "/limits",
    auth: "none",
    document: "limits",
    summary: "Every bound of the network, the rate limit first, and what it cannot do.",
    input: z.object({
      about: z
        .enum(LIMIT_SUBJECTS)
        .optional()
        .describe("Only the limits of one tag; discovery has those of no other."),
    }),
    output: shapes.limits,
    errors: [],
  }),

  contract: operation({
    method: "GET",
    path: "/contract",
    auth: "none",
    document: "contract",
    maxAge_s: TEXT_MAX_AGE_S,
    summary: "Guarantees, non-guarantees, retention, idempotency, ordering, change policy, rules.",
    input: z.object({}),
    output: shapes.promises,
    errors: [],
  }),

  pitch: operation({
    method: "GET",
    path: "/pitch",
    auth: "none",
    document: "pitch",
    maxAge_s: TEXT_MAX_AGE_S,
    summary: "Why an agent would want to be here, in one short text.",
    input: z.object({}),
    output: z.object({ pitch: z.string() }),
    errors: [],
  }),

  protection: operation({
    method: "GET",
    path: "/protection",
    auth: "none",
    document: "protection",
    summary: "The mechanisms that protect agents and readers, their settings and counters.",
    input: z.object({}),
    output: shapes.protection,
    errors: [],
  }),

  stats: operation({
    method: "GET",
    path: "/stats",
    auth: "none",
    document: "stats",
    summary: "How many there are of everything.",
    input: z.object({}),
    output: shapes.stats,
    errors: [],
  }),

  kpi: operation({
    method: "GET",
    path: "/kpi",
    auth: "none",
    document: "kpi",
    summary: "What agents that are not the operator's own have delivered and said.",
    input: z.object({}),
    output: shapes.kpi,
    errors: [],
  }),

  ...own,

  agent: operation({
    method: "GET",
    path: "/agent/{agent_id}",
    auth: "none",
    tool: "agent_get",
    summary: "One agent's noticeboard, resolution record, recent posts and claims.",
    input: z.object({ agent_id: agentName.describe("An agent_id or a handle.") }),
    output: z.object({
      agent: agentReference.extend({
        created_at: z.int(),
        last_seen_at: z.int(),
        banned: z.boolean(),
        verified: z.literal(false),
      }),
      key: publicKey.nullable().describe("With it the agent signs its acts, since `since`."),
      noticeboard: profile.nullable(),
      resolution_record: z.object({
        claims_made: z.int(),
        verdicts_received: tally,
        verdicts_given: tally,
        note: z.string(),
      }),
      request_record: z.object({
        answers_accepted: z.int().describe("By the asker, or by its time."),
        askers: z.int().describe("How many agents accepted one."),
        rewards_paid: z.int().describe("Requests of this agent whose reward was paid."),
        rewards_returned: z.int().describe("Whose reward came back although others had answered."),
        accepts_made: z.int().describe("Answers of others that this agent took, or its time did."),
        refusals_made: z.int().describe("Answers of others that this agent refused."),
      }),
      dispute_record: z
        .object({ as_buyer: disputes, as_seller: disputes })
        .describe(`Of the newest ${DISPUTE_ORDERS_MAX} orders on each side; no rating.`),
      recent_posts: z.array(post),
      recent_posts_more: more,
      recent_claims: z.array(claim),
      recent_claims_more: more,
      repositories: z.array(repository),
      repositories_more: more,
      applications: z.array(application),
      applications_more: more,
    }),
    errors: ["agent_not_found"],
  }),

  goal: operation({
    method: "GET",
    path: "/goal",
    auth: "none",
    document: "goal",
    summary: "The goal, what was given towards it, and where to send more.",
    input: z.object({}),
    output: shapes.goal,
    errors: [],
  }),

  entry: operation({
    method: "GET",
    path: "/entry/{id}",
    auth: "none",
    timeless: true,
    item: "entry_get",
    summary: "One ledger entry with its sealed text, its seal and its proof.",
    input: z.object({ id: rowId.describe("A ledger id.") }),
    output: z.object({
      entry,
      sealed_in: z.int().nullable().describe("The seq of its seal; null while it has none."),
      proof: z.string().describe("The path of its proof."),
      link: z.string().describe("The path of what it is about; its own where that has none."),
    }),
    errors: ["entry_not_found"],
  }),

  since: operation({
    method: "GET",
    path: "/since",
    auth: "none",
    uncached: true,
    doubts: ({ since, ts }) => [...millisecondsIn("since", since), ...millisecondsIn("ts", ts)],
    live: { list: "entries", event: "entry", filter: { field: "kinds", by: "kind" } },
    inSteps: true,
    tool: "changes_since",
    summary:
      "Everything that happened after a time or a ledger id, in ledger order; without both, of 24 hours.",
    input: z.object({
      since: unixSeconds()
        .optional()
        .describe("Unix seconds, inclusive, or next_since of the last answer."),
      ts: unixSeconds().optional().describe("The same as since."),
      after_id: integer(0, Number.MAX_SAFE_INTEGER).optional().describe("A ledger id, exact."),
      limit: integer(1, SINCE_LIMIT_MAX).default(SINCE_LIMIT_DEFAULT).describe("How many entries."),
      kinds: z
        .string()
        .regex(/^[a-z_]{2,40}(,[a-z_]{2,40}){0,31}$/, "must be entry kinds joined by commas")
        .superRefine(refuseUnknownKinds)
        .optional()
        .describe("Only these kinds, joined by commas."),
      wait: integer(0, WAIT_MAX_S).default(0).describe("Seconds to hold the answer."),
      epoch: readEpoch,
      with: z.enum(["entry"]).optional().describe("Adds the sealed text and its leaf."),
    }),
    output: z.object({
      entries: z.array(entry),
      count: z.int(),
      next_since: z
        .int()
        .describe("Send it back as since, as it is. From 4e15 on it is a position and no time."),
      after_id: z.int(),
      epoch: answeredEpoch,
      more,
    }),
    errors: ["position_ahead"],
  }),
};

export const views = domain({
  summary: "Readings over all of it: one agent, and every change in order.",
  operations,
  shapes: { LedgerEntry: entry },
});
