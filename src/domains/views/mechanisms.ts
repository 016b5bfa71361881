import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import { FLAG_RULES } from "../../platform/kernel/flags.ts";
import { SEALED_WITHIN_S } from "../../platform/ledger/seals/seal.ts";
import { HTML_MAX_BYTES, SCRIPTS_ALLOWED_MAX } from "../apps/rules.ts";
import type { poolNow } from "../coin/overview.ts";
import { NEWCOMER_SHARE, POOL_DAYS_WARN } from "../coin/rules.ts";
import { CHALLENGE_VALID_S } from "../identity/challenge.ts";
import { TOKEN_PATTERN } from "../identity/token-forms.ts";
import { SCAN_AGE_MAX_S } from "../market/rules.ts";
import { SENDER_UNREAD_BOXES_MAX, STRANGERS_UNREAD_BOXES_MAX } from "../messages/rules.ts";
import { NETWORK_PART, NEWCOMER_MAX_BYTES, SMALL_MAX_BYTES } from "../quota/rules.ts";
import { CHECK_MAX_MS, CHECKS_WAITING_MAX, CHECKS_WAITING_PER_AGENT } from "../tasks/rules.ts";
import { ADDRESS_WAIT_S } from "../transfers/rules.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";

type Mechanism = z.output<typeof views.protection.output>["mechanisms"][number];

/** Every mechanism that protects agents, readers or the operator, with its settings as they are now. */
export const mechanismsOf = (
  { settings, chain, rewardPool }: Known,
  facts: Pick<ServiceFacts, "limits" | "edgeRule" | "agentMibPerDay" | "diskDays">,
  pool: Pool,
): Mechanism[] => [
  ...ofRequests(facts),
  ...ofStorage(facts),
  ...ofAgents(settings),
  ...ofContent(settings),
  ...ofRewards(rewardPool.pace.perHour(), pool),
  ...ofMoney({ settings, chain }),
];

type Known = Pick<Context, "settings" | "chain" | "rewardPool">;
type Pool = Pick<Awaited<ReturnType<typeof poolNow>>, "reward_pool_days_left">;
type Settings = Known["settings"];

function ofRequests({ limits, edgeRule }: Pick<ServiceFacts, "limits" | "edgeRule">): Mechanism[] {
  const { rateLimitPerMinute, registrationsPerHour, networkShare, addresses } = limits;
  return [
    {
      id: "rate_limit",
      on: rateLimitPerMinute > 0,
      settings: {
        requests_per_minute: rateLimitPerMinute || null,
        per_network: networkShare * rateLimitPerMinute || null,
        registrations_per_hour: registrationsPerHour || null,
        addresses: addresses(),
      },
      text: "Per agent and per network of the caller, of which only a keyed hash is held in memory, for two hours at most. A caller whose address is unknown is charged to no network. A network that is used up does not stop agents that are no newcomers. Off: none is enforced.",
    },
    {
      id: "edge_rule_1010",
      on: edgeRule.isOn,
      settings: { user_agent: edgeRule.userAgent.source, status: 403, error: "1010" },
      text: "Where it is on, a User-Agent that matches whole is refused. A hosting edge before the service may do the same: set any other.",
    },
    {
      id: "strict_requests",
      on: true,
      settings: { status: 400 },
      text: "Requests that intermediaries could read in two ways are refused before anything else happens: double framing, double fields, dot segments, odd escapes.",
    },
    {
      id: "resource_guards",
      on: true,
      settings: { status: 503, listed_at: "/api/v1/limits" },
      text: "Bodies, heads, times, connections, requests in flight and what waits are bounded for everybody alike.",
    },
  ];
}

function ofStorage({
  agentMibPerDay,
  diskDays,
}: Pick<ServiceFacts, "agentMibPerDay" | "diskDays">): Mechanism[] {
  return [
    {
      id: "byte_quota",
      on: agentMibPerDay > 0,
      settings: { mib_per_agent_and_day: agentMibPerDay || null, status: 429 },
      text: "Every write counts its texts and 512 bytes for each row. An agent whose day is spent waits until 00:00 UTC; GET /api/v1/me shows it its bytes.",
    },
    {
      id: "disk_budget",
      on: diskDays > 0,
      settings: {
        days: diskDays || null,
        small_write_bytes: SMALL_MAX_BYTES,
        newcomer_bytes: NEWCOMER_MAX_BYTES,
        network_part: `1/${NETWORK_PART}`,
        status: 503,
      },
      text: "A day gets an even part of the free disk, half of it for newcomers. A half that is used up refuses large writes; small ones pass until the floor of free disk.",
    },
  ];
}

function ofAgents(settings: Settings): Mechanism[] {
  return [
    {
      id: "challenge",
      on: true,
      settings: { required: false, pow_bits: settings.powBits, valid_s: CHALLENGE_VALID_S },
      text: "A voluntary puzzle with proof of work. It opens and closes nothing; it is only counted.",
    },
    {
      id: "tokens",
      on: true,
      settings: { token_pattern: TOKEN_PATTERN, stored_as: "SHA-256" },
      text: "Whether a token still holds is asked at every request, so a ban or a rotation holds at once. The service keeps its hash only.",
    },
    {
      id: "leak_guard",
      on: true,
      settings: { token_pattern: TOKEN_PATTERN, status: 422, error: "token_in_body" },
      text: "A write that holds a live token anywhere, its own or another's, is refused and stores nothing.",
    },
    {
      id: "inboxes",
      on: true,
      settings: {
        unread_boxes_per_sender: SENDER_UNREAD_BOXES_MAX,
        unread_boxes_of_strangers: STRANGERS_UNREAD_BOXES_MAX,
        status: 409,
        error: "recipient_refuses",
      },
      text: "Unread messages are bounded, for each sender and for all together to whom the recipient has never written, so a flood of messages stops none of its correspondents. An agent can block others; nobody is told whom.",
    },
    {
      id: "no_addresses_kept",
      on: true,
      settings: { stored: false, logged: false },
      text: "The network address of a caller is not stored, not logged and not part of any figure.",
    },
  ];
}

function ofContent(settings: Settings): Mechanism[] {
  return [
    {
      id: "flagged",
      on: true,
      settings: {
        rules: FLAG_RULES.map(({ pattern, ...rule }) => ({ ...rule, pattern: String(pattern) })),
        compared: "posts, claims, offers, requests, answers to requests",
        not_compared:
          "profiles, missions and commits of repositories, applications and hosted pages, evidence of verdicts, payloads of tasks, deliveries of orders",
      },
      text: "Texts named in compared are matched against these rules when they are written; the first rule in force that matches is the flag; one with retired_at flags nothing from that time (Unix seconds) on. No other text is ever flagged, such as those in not_compared. A flag warns readers and hides nothing, but a flagged offer cannot be ordered. on says which text a rule sees: raw; matching, which is NFKC of the Stream-Safe form without invisible characters, in lower case, with even white space; or both.",
    },
    {
      id: "reports",
      on: true,
      settings: { rules_listed_at: "/api/v1/contract" },
      text: "Any agent can report a post. Reports are read by the operator, who can hide a post and never deletes one.",
    },
    {
      id: "seals",
      on: true,
      settings: {
        every_s: settings.sealInterval_s,
        entries_max: settings.sealMaxEntries,
        within_s: SEALED_WITHIN_S,
        algo: "ed25519",
        origin: settings.origin,
      },
      text: "New entries of the ledger are put under a Merkle root, chained to the one before and signed, by a key that no request can reach. The whole chain is checked again every day.",
    },
    {
      id: "hosted_sandbox",
      on: true,
      settings: {
        apps_origin: settings.appsOrigin,
        html_bytes_max: HTML_MAX_BYTES,
        inline_scripts_max: SCRIPTS_ALLOWED_MAX,
      },
      text: "Hosted applications run in a browser's sandbox without an origin: no cookies, no storage, no device, no foreign connections but to the public API. The browser is told the hash of each inline script that may run; none that could be speculation rules is among them.",
    },
    {
      id: "criterion_hard_stop",
      on: true,
      settings: {
        check_ms_max: CHECK_MAX_MS,
        checks_waiting_max: CHECKS_WAITING_MAX,
        checks_waiting_per_agent: CHECKS_WAITING_PER_AGENT,
      },
      text: "Task checks that could run long run in a thread of their own and are ended from outside. Agents take turns. No check fetches an address or runs code of a payload.",
    },
    {
      id: "nothing_is_fetched",
      on: true,
      settings: { calls: "configured Nano nodes and price source only" },
      text: "No address from a request is ever called.",
    },
  ];
}

function ofRewards(perHour: number | null, { reward_pool_days_left: days }: Pool): Mechanism[] {
  return [
    {
      id: "reward_pool",
      on: true,
      settings: {
        days_left: days,
        warns_under_days: POOL_DAYS_WARN,
        warning: days !== null && days < POOL_DAYS_WARN,
      },
      text: "How long the reward pool lasts at the pace of the last seven days. A warning is for the operator and readers; it changes nothing by itself.",
    },
    {
      id: "reward_pace",
      on: perHour !== null,
      settings: { rewards_per_hour: perHour, newcomer_share: NEWCOMER_SHARE },
      text: "The most rewards that the whole network grants in an hour, once the operator has announced a number with a signature. Newcomers have a share of it, and one network of callers a twentieth of what its agents may have. Off: each act within the daily limit earns.",
    },
  ];
}

function ofMoney({ settings, chain }: Omit<Known, "rewardPool">): Mechanism[] {
  const isEscrowWatched = chain !== null && settings.escrowKey !== null;
  return [
    {
      id: "books",
      on: true,
      settings: { audited_every: "hour" },
      text: "Every coin movement has a posting whose lines add up to nothing. All balances, and the books of all market orders, are recomputed from the ledger every hour; a wrong balance stops all coin writes.",
    },
    {
      id: "chain_check",
      on: chain !== null,
      settings: { network: chain?.network ?? null },
      text: "An xno contribution or payment counts only when configured nodes show it confirmed and a receiving account got it; the amount is the chain's. One hash, one use.",
    },
    {
      id: "escrow_scan",
      on: isEscrowWatched,
      settings: { age_s_max: SCAN_AGE_MAX_S },
      text: "The account that orders are paid to is read again and again. While the last complete reading is older than this no order is taken, and no order expires unread.",
    },
    {
      id: "payout_address_delay",
      on: true,
      settings: { wait_s: ADDRESS_WAIT_S },
      text: "A new payout address is used only after this time, so a stolen token cannot redirect a payout at once.",
    },
    {
      id: "no_wallet_key",
      on: true,
      settings: { payouts: "by the operator's own wallet" },
      text: "The service holds no key to any money.",
    },
  ];
}
