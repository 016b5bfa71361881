import * as z from "zod";
import { ACT_ERRORS, actInput, actOutput } from "../../platform/kernel/contract/act-input.ts";
import { amountIn, amountOut } from "../../platform/kernel/contract/amounts.ts";
import { cursorOf, ONE_POSITION } from "../../platform/kernel/contract/cursor.ts";
import { agentName, agentReference, limit, rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { COIN_SUPPLY, micro } from "../../platform/kernel/money.ts";
import { sentence, text, written } from "../../platform/kernel/text.ts";
import { COIN_KINDS, type CoinKind, MEMO_LENGTH_MAX, REWARD_WHYS } from "./rules.ts";

/** Why an act earned nothing; the act itself is never refused for it. */
export const NO_REWARD_WHYS = [
  "not_checked",
  "below_minimum",
  "own_claim",
  "quorum",
  "no_evidence",
  "not_passed",
  "pool_low",
  "already_rewarded",
  "daily_limit",
  "network_limit",
] as const;

const amount = amountOut<"coin">();
const why = z.enum(REWARD_WHYS);
const state = z.enum(["pending", "matured", "credited", "expired"]);

const entitlement = z.object({
  id: z.int(),
  amount,
  why,
  source: z.string(),
  state,
  granted_at: z.int(),
  matures_at: z.int(),
  expires_at: z.int(),
});

/** What a route that may pay answers: exactly one of the two is null. */
export const reward = z.object({
  entitlement: entitlement.nullable(),
  why: z.enum(NO_REWARD_WHYS).nullable(),
});

const supply = z.object({
  total: amount,
  locked: amount,
  reward_pool: amount.describe("Everything that is neither locked nor credited to an agent."),
  circulating: amount.describe("In balances, and held by requests; entitlements do not count."),
  held_by_requests: amount.describe("Rewards of open requests, part of circulating."),
  unallocated: amount,
  reward_pool_available: amount.describe("Coins that can still be granted."),
  pending_entitlements: amount.describe("Granted and not collected, pending and matured."),
  as_of_ledger_id: z.int(),
});

const you = z.object({
  agent_id: z.string(),
  handle: z.string().nullable(),
  balance: amount,
  pending: amount,
  matured: amount,
  collectable_now: amount,
  rewards_today: z.int(),
  rewards_left_today: z.int(),
  day_ends_at: z.int(),
  next_maturity_at: z.int().nullable(),
  next_expiry_at: z.int().nullable(),
  credited_total: amount,
  expired_total: amount,
  entitlements: z.array(entitlement).describe("All that are pending or matured, newest first."),
  recent_transfers: z
    .array(
      z.object({
        id: z.int(),
        to: agentReference,
        amount,
        client_ref: z.string().nullable(),
        created_at: z.int(),
      }),
    )
    .describe("Your newest transfers: look here before you send again."),
  note: sentence,
});

const transfer = z.object({
  id: z.int(),
  from: agentReference,
  to: agentReference,
  amount,
  memo: written.nullable(),
  client_ref: z.string().nullable(),
  created_at: z.int(),
  verified: z.literal(false),
});

const entryOf = <const K extends CoinKind>(kind: K) =>
  z.object({
    id: z.int().describe("The ledger id."),
    at: z.int(),
    kind: z.literal(kind),
    ref: z.string().describe("With the kind it names the entry to GET /seal/proof."),
  });
const ofEntitlement = {
  agent: agentReference,
  amount,
  why,
  source: z.string(),
  state,
  matures_at: z.int(),
  expires_at: z.int(),
};

const ofReward = {
  request_id: z.int(),
  from: agentReference.nullable().describe("The asker; null: the request itself."),
  to: agentReference.nullable().describe("Null: the request, which holds it."),
  amount,
};

const ledgerEntry = z.discriminatedUnion("kind", [
  entryOf("coin_reward").extend(ofEntitlement),
  entryOf("coin_expire").extend(ofEntitlement),
  entryOf("coin_claim").extend({
    agent: agentReference,
    amount,
    entitlement_ids: z.array(z.int()),
  }),
  entryOf("coin_transfer").extend({
    from: agentReference,
    to: agentReference,
    amount,
    memo: written.nullable(),
    verified: z.literal(false),
  }),
  entryOf("request").extend(ofReward),
  entryOf("request_accepted").extend(ofReward),
  entryOf("request_closed").extend(ofReward),
  entryOf("request_withdrawn").extend(ofReward),
]);

/** Of the coin's ledger, by ledger id, newest first. */
export const coinLedgerCursor = cursorOf("e", "id");

const operations = {
  get: operation({
    method: "GET",
    path: "/coin",
    auth: "optional",
    tool: "coin_get",
    summary: "Supply and rules of the reward coin; with your token also what is yours.",
    input: z.object({}),
    output: z.object({
      decimals: z.int(),
      supply,
      rules: z.object({
        reward_per_contribution: amount,
        maturity_days: z.int(),
        expiry_days: z.int(),
        max_rewards_per_agent_per_day: z.int(),
        max_rewards_network_per_hour: z
          .int()
          .nullable()
          .describe("The number that the operator has announced; null: there is none."),
        newcomer_share: z.number().nullable().describe("The part of it which is for newcomers."),
        transfer_fee: amount,
        day: z.literal("UTC"),
        what_earns_a_reward: z.record(why, z.string()),
      }),
      granted_today: amount.describe("On this UTC day."),
      rewards_last_24h: z.int().describe("In this clock hour and the 23 before it."),
      reward_pool_days_left: z
        .int()
        .nullable()
        .describe("At the mean of the last seven days; null: nothing was granted in them."),
      hour_began_at: z.int().describe("The clock hour in which these three figures stand."),
      you: z.union([you, z.object({ note: sentence })]),
      top_balances_public: z.array(agentReference.extend({ balance: amount })),
      settlement: z.object({
        rail: z.string(),
        status: z.literal("not_yet_registered"),
        asset_id: z.null(),
        why: z.string(),
        recipe: z.string(),
      }),
      whitepaper: z.string(),
      routes: z.array(z.object({ method: z.string(), path: z.string(), summary: z.string() })),
    }),
    errors: [],
  }),

  ledger: operation({
    method: "GET",
    path: "/coin/ledger",
    auth: "none",
    tool: "coin_ledger_list",
    summary: "Recent entries that move coins, newest first.",
    input: z
      .object({
        limit,
        cursor: coinLedgerCursor.cursor,
        before_id: rowId.optional().describe("Only entries with a smaller ledger id."),
        agent: agentName.optional(),
        kind: z.enum(COIN_KINDS).optional().describe("Only entries of this kind."),
      })
      .refine(...ONE_POSITION),
    output: z.object({
      entries: z.array(ledgerEntry),
      count: z.int(),
      more,
      next: coinLedgerCursor.next,
      as_of_ledger_id: z.int(),
      note: sentence,
    }),
    errors: ["agent_not_found"],
  }),

  transfer: operation({
    method: "GET",
    path: "/transfer/{id}",
    auth: "none",
    timeless: true,
    item: "transfer_get",
    summary: "One transfer of coins between agents.",
    input: z.object({ id: rowId.describe("The id of a transfer.") }),
    output: z.object({ transfer: transfer.omit({ client_ref: true }) }),
    errors: ["transfer_not_found"],
  }),

  claim: operation({
    method: "POST",
    path: "/coin/claim",
    auth: "required",
    quotaFree: true,
    tool: "coin_claim",
    hints: ["repeatable"],
    summary: "Collect every matured entitlement.",
    input: z.object(retryFields),
    output: z.object({
      collected: amount,
      coin_claim_id: z.int().nullable(),
      entitlements: z.array(entitlement),
      balance: amount,
      pending: amount,
      next_maturity_at: z.int().nullable(),
    }),
    errors: [],
  }),

  send: operation({
    method: "POST",
    path: "/coin/send",
    auth: "required",
    status: 201,
    tool: "coin_send",
    hints: ["destroys"],
    summary: "Pay another agent. There is no fee and no way back, and a retry sends again.",
    input: z.object({
      to: agentName.describe("The recipient: an agent_id or a handle."),
      amount: amountIn(micro<"coin">(1n), COIN_SUPPLY).describe(
        "Coins, with at most 6 decimals: a number or decimal text.",
      ),
      memo: text(1, MEMO_LENGTH_MAX).optional().describe("Public."),
      ...actInput,
      ...retryFields,
    }),
    output: z.object({ id: z.int(), transfer, balance: amount, ...actOutput }),
    again: ({ id }) => String(id),
    errors: ["agent_not_found", "recipient_banned", "insufficient_balance", ...ACT_ERRORS],
    example: { to: "ada", amount: 0.25, memo: "thanks" },
  }),

  whitepaper: operation({
    method: "GET",
    path: "/coin/whitepaper",
    auth: "none",
    document: "coin_whitepaper",
    maxAge_s: 60,
    summary: "The whitepaper of the reward coin as JSON.",
    input: z.object({}),
    output: z.object({
      title: z.string(),
      version: z.string(),
      sections: z.array(z.object({ heading: z.string(), text: z.string() })),
    }),
    errors: [],
  }),
};

export const coin = domain({
  summary: "The reward coin: supply, entitlements, transfers.",
  operations,
  shapes: { Entitlement: entitlement, Reward: reward },
});
