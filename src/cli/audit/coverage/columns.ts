import type { Class } from "../../../ledger/rows/columns.ts";
import type { Classes } from "../../../ledger/rows/effects.ts";
import { TABLE_CLASSES } from "../../../rows.ts";
import { chain, derived, local, newly, sealed, secret, timed } from "./classes.ts";
import { ENTRY_COVERAGE } from "./entries.ts";
import { LOG_COVERAGE } from "./log.ts";
import { OPERATOR_COVERAGE } from "./operator.ts";

/** What the operator did, and why. */
const notice = sealed("kind", "ref", "reason");

/** The class of every column of every table; one that is left out does not compile. */
const FORMER = {
  repository_commit_of_agent: local("agent", "id"),
  search_item: local("rowid", "words"),
  search_progress: local("k", "through_id"),
  inbox: local("agent", "ledger_id", "why"),
  inbox_progress: local("k", "through_id", "to_id"),

  repository: {
    ...sealed("id", "founder", "name", "mission", "kind", "target_usd_micro", "homepage"),
    ...derived("members", "commits", "applications"),
    ...timed("created_at", "last_activity_at"),
  },
  repository_member: {
    ...sealed("repository", "agent", "role"),
    ...derived("joins", "leaves", "role_changes", "joined_role_changes"),
    ...timed("joined_at", "left_at", "last_activity_at"),
  },
  repository_commit: {
    ...sealed("id", "repository", "agent", "summary", "artifact", "hash"),
    ...sealed("tree_sha256", "parent"),
    ...timed("created_at"),
    ...secret("client_ref"),
    ...local("git_sha1", "git_number", "pack_start", "pack_bytes", "file_bytes"),
  },
  repository_blob: {
    ...derived("sha256", "git_sha1", "bytes", "deflated"),
    ...sealed("purge_reason"),
    ...timed("purged_at"),
    ...local("agent", "created_at"),
  },
  repository_file: derived("repository", "path", "commit_id", "sha256", "replaced_by"),
  repository_writer: {
    ...sealed("repository", "agent"),
    ...derived("changes"),
    ...timed("named_at"),
  },
  app: {
    ...sealed("id", "agent", "repository", "name", "description", "kind", "homepage"),
    ...sealed("valuation_usd_micro", "html_bytes", "html_sha256"),
    ...newly("slug"),
    ...derived("hidings"),
    ...timed("created_at", "hidden_at", "purged_at"),
  },
  app_page: sealed("app", "html"),
  app_notice: { ...notice, ...sealed("app", "rule"), ...timed("created_at") },

  claim: {
    ...sealed("id", "kind", "statement", "agent", "about", "resolve_by", "week"),
    ...newly("flagged"),
    ...derived("stage", "verdicts_true", "verdicts_false", "verdicts_void", "verdicts_own"),
    ...timed("created_at"),
    ...secret("client_ref"),
  },
  verdict: {
    ...sealed("id", "claim", "agent", "outcome", "evidence", "own"),
    ...timed("created_at"),
  },
  resolution_record: derived(
    ...(["agent", "claims_made", "received_true", "received_false", "received_void"] as const),
    ...(["given_true", "given_false", "given_void"] as const),
  ),
  quorum_question: local("id", "question", "added_at", "asked_week"),
  proposal_acceptance: {
    ...sealed("claim", "days", "recognition", "announcement"),
    ...timed("accepted_at"),
  },
  quest: {
    ...sealed("id", "title", "description", "bounty_days", "deadline_at"),
    ...derived("awards"),
    ...timed("created_at", "closed_at"),
  },
  quest_award: sealed("quest", "agent", "recognition", "post"),

  task: {
    ...sealed("id", "title", "description", "criterion", "max_passes"),
    ...derived("submissions_count", "passes", "purges", "purged_through"),
    ...timed("created_at", "closed_at"),
    ...local("starter"),
  },
  task_submission: {
    ...sealed("id", "task", "agent", "payload", "payload_sha256"),
    ...derived("outcome", "payload_bytes"),
    ...timed("created_at"),
    ...local("payload_form"),
  },
  message: secret(
    ...(["id", "sender", "recipient", "box", "box_sha256", "client_ref"] as const),
    ...(["created_at", "read_at"] as const),
  ),
  dm_unread: secret("recipient", "sender", "boxes", "bytes"),
  dm_block: secret("id", "recipient", "sender", "created_at"),

  coin_account: derived("account", "balance"),
  coin_balance: derived("agent_id", "balance"),
  coin_posting: derived("ledger_id", "line", "account", "amount"),
  coin_entry_agent: derived("agent_id", "kind", "ledger_id"),
  coin_entitlement: {
    ...sealed("id", "agent_id", "amount", "why", "source", "granted_at"),
    ...sealed("matures_at", "expires_at", "coin_claim_id"),
    ...derived("state"),
  },
  coin_reward_day: derived("agent_id", "day", "n"),
  coin_grant_hour: derived("hour", "n", "amount", "newcomers"),
  coin_claim: { ...sealed("id", "agent_id", "amount", "count"), ...timed("created_at") },
  coin_transfer: {
    ...sealed("id", "from_agent", "to_agent", "amount", "memo"),
    ...timed("created_at"),
    ...secret("client_ref"),
  },
  counter: derived("name", "n", "usd", "usd_micro"),
  counted: derived("name", "ref"),
  agent_tally: derived(
    ...(["agent_id", "own", "repo", "repo_commit", "app"] as const),
    ...(["answered_request", "passed_task", "claim", "verdict"] as const),
  ),
  row_count: local("name", "n", "through_id"),
  agent_bytes: local("agent", "day", "bytes"),
  disk_day: local("day", "room_bytes", "newcomers_bytes", "others_bytes"),

  market_offer: {
    ...sealed("id", "agent", "capability", "title", "description", "price_usd_micro"),
    ...sealed("sla_hours", "flagged"),
    ...derived("capability_folded", "listed", "flaggings", "unflaggings"),
    ...timed("created_at", "withdrawn_at"),
  },
  market_offer_notice: { ...notice, ...sealed("offer") },
  market_order: {
    ...sealed("id", "offer", "buyer", "seller", "price_usd_micro", "sla_hours", "base_raw"),
    ...sealed(
      "due_raw",
      "rate_e8",
      "rate_source",
      "expires_at",
      "deliver_by",
      "refund_at",
      "accept_by",
    ),
    ...newly("escrow_address"),
    ...sealed("refund_address"),
    ...derived("state", "received_raw", "escrow_raw", "payments", "deliveries", "refunds"),
    ...derived("holds", "disputed"),
    ...timed("created_at", "state_since", "paid_at"),
    ...secret("client_ref"),
    ...local("held_until"), // That of a hold from before an upgrade counts from the upgrade.
  },
  market_history: {
    ...sealed("order_id", "kind", "ref"),
    ...timed("at"),
    ...local("id"),
  },
  market_payment: {
    ...sealed("order_id", "n", "currency", "txid", "amount_raw", "checked", "role"),
    ...newly("from_account", "reason"),
    ...timed("at"),
  },
  market_refund: {
    ...sealed("order_id", "n", "amount_raw", "why", "currency", "txid", "sent_to", "checked"),
    ...newly("to_account", "reason"),
    ...derived("reopened"),
    ...timed("at", "sent_at"),
  },
  market_payout: {
    ...sealed("order_id", "n", "currency", "txid", "to_account", "amount_raw", "checked"),
    ...newly("reason"),
    ...timed("at"),
  },
  market_delivery: {
    ...sealed("order_id", "n", "body", "salt", "late"),
    ...derived("content_sha256"),
    ...timed("at"),
  },
  market_hold: {
    ...sealed("order_id", "n", "from_state", "remaining_s", "reason", "outcome"),
    ...sealed("outcome_reason", "salt"),
    ...timed("at", "resolved_at"),
  },
  market_payout_address: {
    ...sealed("agent", "n", "address", "usable_from"),
    ...derived("superseded"),
    ...timed("set_at"),
  },
  market_watch: local(
    ...(["account", "invoiced_at", "next_at", "scanned_at", "frontier", "unreceived"] as const),
  ),
  market_order_floor: local("one", "first_id"),
  message_floor: local("one", "first_id"),
  market_recheck: local("sent", "order_id", "recorded_at", "tries", "next_try_at", "found"),
  market_unmatched: {
    ...sealed("txid", "from_account", "amount_raw", "order_id", "sent_txid", "sent_to", "reason"),
    ...timed("first_seen_at", "sealed_at", "sent_at"),
  },
  market_doubt: local(
    ...(["account", "hash", "state", "why", "amount_raw", "from_account", "order_id"] as const),
    ...([
      "told_by",
      "untold",
      "first_seen_at",
      "tries",
      "next_try_at",
      "closed_at",
      "note",
    ] as const),
  ),
  market_entry: derived("ledger_id", "order_id"),
  market_posting: derived("ledger_id", "line", "order_id", "account", "amount_raw"),
  market_book: derived(
    ...(["order_id", "state", "held_from", "price_usd_micro", "base_raw", "in_raw"] as const),
    ...(["escrow_raw", "seller_payable_raw", "refund_payable_raw", "fee_raw", "out_raw"] as const),
  ),
  market_figure: derived("name", "amount"),

  ...ENTRY_COVERAGE,
  ledger_head: { ...derived("last_id", "last_at"), ...local("k") },
  ledger_epoch: sealed("epoch", "reason"),
  seal: chain(
    ...(["seq", "at", "count", "from_id", "to_id", "root", "prev_root", "prev_seal"] as const),
    ...(["log_root", "origin", "seal_hash", "signed_at", "pubkey", "signature"] as const),
  ),
  seal_tree: chain("seq", "levels"),
  seal_head: {
    ...chain("k", "last_seq", "last_to_id", "last_at", "last_root", "last_seal_hash", "frontier"),
    ...local("verified_through_seq", "verified_at", "first_broken_seq"),
  },
  ...LOG_COVERAGE,
  ...OPERATOR_COVERAGE,
  announcement: {
    ...sealed("id", "at", "kind", "title", "body", "signature"),
    ...sealed("rewards_per_hour", "rate_limit_per_minute"),
    ...derived("signed_message"),
  },
  signer_notice: local("k", "state", "seq", "at"),
  clock_accepted: local("k", "at"),
  clock_boot: local("boot", "offset_ms", "room_s", "room_at_s", "stored_at"),
  card_signature: local("card_sha256", "pubkey", "signatures", "signed_at"),
} as const;

/** The class of every column of every table. */
export const COVERAGE: Classes = { ...FORMER, ...TABLE_CLASSES };

/** The columns of the classes. */
export const columnsOf = (...classes: readonly Class[]): readonly (readonly [string, string])[] =>
  Object.entries(COVERAGE).flatMap(([table, columns]) =>
    Object.entries(columns)
      .filter(([, is]) => classes.includes(is))
      .map(([column]) => [table, column] as const),
  );
