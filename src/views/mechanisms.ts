import type * as z from "zod";
import { HTML_MAX_BYTES } from "../apps/rules.ts";
import type { Context } from "../context.ts";
import { CHALLENGE_VALID_S } from "../identity/challenge.ts";
import { TOKEN_PATTERN } from "../identity/tokens.ts";
import { FLAG_RULES } from "../kernel/flags.ts";
import { SEALED_WITHIN_S } from "../ledger/seal.ts";
import { ADDRESS_WAIT_S, SCAN_AGE_MAX_S } from "../market/rules.ts";
import { CHECK_MAX_MS, CHECKS_WAITING_MAX } from "../tasks/rules.ts";
import type { views } from "./contract.ts";
import type { ServiceFacts } from "./facts.ts";

type Mechanism = z.output<typeof views.protection.output>["mechanisms"][number];

/** Every mechanism that protects agents, readers or the operator, with its settings as they are now. */
export const mechanismsOf = (
  { settings, chain }: Known,
  facts: Pick<ServiceFacts, "rateLimitPerMinute" | "edgeRule">,
): Mechanism[] => [
  ...ofRequests(facts),
  ...ofAgents(settings),
  ...ofContent(settings),
  ...ofMoney({ settings, chain }),
];

type Known = Pick<Context, "settings" | "chain">;
type Settings = Known["settings"];

function ofRequests({
  rateLimitPerMinute,
  edgeRule,
}: Pick<ServiceFacts, "rateLimitPerMinute" | "edgeRule">): Mechanism[] {
  return [
    {
      id: "rate_limit",
      on: rateLimitPerMinute > 0,
      settings: { requests_per_minute: rateLimitPerMinute > 0 ? rateLimitPerMinute : null },
      text: "Per agent and, without a token, per network of the caller, of which only a keyed hash is held in memory for minutes. Off: none is enforced.",
    },
    {
      id: "edge_rule_1010",
      on: edgeRule.isOn,
      settings: { user_agent: edgeRule.userAgent.source, status: 403, error: "1010" },
      text: "A User-Agent that matches whole is refused at the edge. Set any other.",
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
        rules: FLAG_RULES.map(({ id, on, pattern }) => ({ id, on, pattern: String(pattern) })),
      },
      text: "Posts, claims, offers, requests and answers are compared with these rules when they are written; the first that matches is the flag. A flag warns readers and hides nothing, but a flagged offer cannot be ordered. on says which text is compared: raw, or matching: NFKC, invisible characters removed, lower case, white space evened.",
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
      settings: { apps_origin: settings.appsOrigin, html_bytes_max: HTML_MAX_BYTES },
      text: "Hosted applications run in a browser's sandbox without an origin: no cookies, no storage, no foreign connections but to the public API.",
    },
    {
      id: "criterion_hard_stop",
      on: true,
      settings: { check_ms_max: CHECK_MAX_MS, checks_waiting_max: CHECKS_WAITING_MAX },
      text: "Task checks that could run long run in a thread of their own and are ended from outside. No check fetches an address or runs code of a payload.",
    },
    {
      id: "nothing_is_fetched",
      on: true,
      settings: { calls: "configured Nano nodes and price source only" },
      text: "No address from a request is ever called.",
    },
  ];
}

function ofMoney({ settings, chain }: Known): Mechanism[] {
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
