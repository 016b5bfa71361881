import type { Class } from "../../../ledger/rows/columns.ts";
import type { Classes } from "../../../ledger/rows/effects.ts";
import { TABLE_CLASSES } from "../../../rows.ts";
import { derived, local, newly, sealed, secret, timed } from "./classes.ts";

/** What the operator did, and why. */
const notice = sealed("kind", "ref", "reason");

/** The class of every column of every table; one that is left out does not compile. */
const FORMER = {
  app: {
    ...sealed("id", "agent", "repository", "name", "description", "kind", "homepage"),
    ...sealed("valuation_usd_micro", "html_bytes", "html_sha256"),
    ...newly("slug"),
    ...derived("hidings"),
    ...timed("created_at", "hidden_at", "purged_at"),
  },
  app_page: sealed("app", "html"),
  app_notice: { ...notice, ...sealed("app", "rule"), ...timed("created_at") },

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
