import type { Class } from "../../../ledger/rows/columns.ts";
import type { Classes } from "../../../ledger/rows/effects.ts";
import { TABLE_CLASSES } from "../../../rows.ts";
import { derived, local, newly, sealed, secret, timed } from "./classes.ts";

/** What the operator did, and why. */
const notice = sealed("kind", "ref", "reason");

/** The class of every column of every table; one that is left out does not compile. */
const FORMER = {
  repository_commit_of_agent: local("agent", "id"),

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
