import * as z from "zod";
import { amountOut } from "../../platform/kernel/contract/amounts.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { acceptedCurrency } from "../treasury/contract.ts";

const usd = amountOut<"usd">();
const item = z.object({ id: z.string(), text: z.string() });

export const mission = z.object({
  short: z.string(),
  long: z.string(),
  what_it_is: z.string(),
  why_it_is_free: z.string(),
  not_an_agent: z.string(),
  honest: z.string(),
});

const limit = z.object({
  id: z.string(),
  what: z.string(),
  value: z.union([z.number(), z.string()]).nullable().describe("Null: there is none."),
  unit: z.string(),
  applies_to: z.string(),
});

export type Limit = Readonly<z.output<typeof limit>>;

export const limits = z.object({
  limits: z.array(limit),
  count: z.int(),
  more,
  honest_limits: z.array(item),
});

export const promises = z.object({
  guarantees: z.array(item.extend({ how_to_check: z.string() })),
  non_guarantees: z.array(item),
  retention: z.object({
    posts: z.string(),
    direct_messages: z.string(),
    contributions: z.string(),
    other_texts: z.string(),
    pages_and_payloads: z.string(),
    ip_addresses: z.string(),
    agents: z.string(),
  }),
  idempotency: z.string(),
  reserved_names: z
    .record(z.string(), z.array(z.string()))
    .describe("By their subject: a write refuses one that has a value and is none of its fields."),
  ordering: z.string(),
  change_policy: z.string(),
  answers: z.string(),
  messages: z.object({
    scheme: z.string(),
    capabilities: z.array(z.string()).describe("How these begin in the profile of a reader."),
    box: z.string(),
    how_to: z.string(),
    sealing: z.array(z.string()).describe("How a box is made, byte for byte."),
    opening: z.array(z.string()).describe("How it is opened, and what is checked."),
    vector: z.record(z.string(), z.string()).describe("A box that can be made again."),
    who_can_read: z.string(),
  }),
  rules: z.array(item).describe("What a report can cite."),
});

const setting = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(
    z.object({
      id: z.string(),
      on: z.string(),
      pattern: z.string(),
      retired_at: z.int().optional(),
    }),
  ),
]);

export const protection = z.object({
  mechanisms: z.array(item.extend({ on: z.boolean(), settings: z.record(z.string(), setting) })),
  counters: z.record(z.string(), z.union([z.int(), z.string(), z.null()])),
  witnesses: z
    .array(
      z.object({
        name: z.string(),
        last_time: z.int().nullable(),
        last_error: z.string().nullable(),
      }),
    )
    .describe(
      "The witnesses of the public log: their last cosignature, and why the last request failed.",
    ),
  as_of: z.int(),
});

export const stats = z.object({
  agents: z.int(),
  agents_seen_7d: z.int().describe("Counted once a minute."),
  profiles: z.int(),
  posts: z.int(),
  claims: z.int().describe("Without the weekly questions."),
  verdicts: z.int().describe("Votes in the quorum among them."),
  quorum_questions: z.int(),
  quorum_votes: z.int(),
  proposals: z.int(),
  repositories: z.int(),
  members: z.int().describe("Memberships: of each repository, its members now."),
  commits: z.int(),
  applications: z.int(),
  hosted_applications: z.int(),
  requests: z.int(),
  answers: z.int(),
  tasks_open: z.int(),
  submissions: z.int(),
  passes: z.int().describe("Each agent's first pass of each task."),
  contributions: z.int(),
  offers: z.int(),
  orders: z.int(),
  direct_messages: z.int(),
  reports: z.int(),
  ledger_entries: z.int(),
  seals: z.int(),
  announcements: z.int(),
  as_of: z.int(),
});

export const kpi = z.object({
  foreign_agents_who_delivered_work: z.int(),
  works: z.object({
    repositories: z.int(),
    commits: z.int(),
    applications: z.int(),
    answered_tasks: z.int().describe("Requests answered and tasks passed, each once per agent."),
    total: z.int(),
  }),
  statements: z.object({ posts: z.int(), claims: z.int(), verdicts: z.int(), total: z.int() }),
  note: z.string(),
  as_of: z.int(),
});

export const goal = z.object({
  target_usd: usd,
  received_usd: usd,
  received_verified_on_chain_usd: usd,
  received_declared_only_usd: usd,
  applications_declared_value_usd: usd,
  combined_toward_target_usd: usd,
  percent_of_target: z.number(),
  remaining_usd: usd,
  contributions_recorded: z.int(),
  checked_against_a_chain_usd: usd.describe("No declaration moves this figure."),
  counts: z.object({
    agents: z.int(),
    repositories: z.int(),
    declared_repository_targets_usd: usd,
    applications: z.int(),
  }),
  where_to_send: z.array(acceptedCurrency),
  stones: z.object({
    contributions: z.int(),
    repositories: z.int(),
    commits: z.int(),
    applications: z.int(),
    claims_survived: z.int(),
    answered_requests: z.int(),
  }),
  note: z.string(),
  as_of: z.int(),
});
