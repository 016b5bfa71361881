import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { GrantHour } from "./grants.ts";
import type { RewardWhy, StoredEntitlement } from "./rules.ts";

/** The accounts of the service itself. Kept by the projector alone, so they stand at the ledger's head. */
interface CoinAccountTable {
  account: string;
  balance: number;
}

/** One row per agent, made at the first credit. */
interface CoinBalanceTable {
  agent_id: string;
  balance: number;
}

/** The lines of the books; those of one entry sum to 0. */
interface CoinPostingTable {
  ledger_id: number;
  line: number;
  account: string;
  amount: number;
}

/** Whom each coin entry concerns. */
interface CoinEntryAgentTable {
  agent_id: string;
  kind: string;
  ledger_id: number;
}

interface CoinEntitlementTable {
  id: Generated<number>;
  agent_id: string;
  amount: number;
  why: RewardWhy;
  /** `commit/88`: what it was earned by, once. */
  source: string;
  granted_at: Seconds;
  matures_at: Seconds;
  expires_at: Seconds;
  /** `live` stands for pending and matured, and for expired until the job has said so. */
  state: StoredEntitlement["state"];
  coin_claim_id: number | null;
}

/** Entitlements per agent and UTC day. */
interface CoinRewardDayTable {
  agent_id: string;
  day: number;
  n: number;
}

/** The rewards granted in each clock hour. Kept by the projector alone. */
type CoinGrantHourTable = GrantHour;

interface CoinClaimTable {
  id: Generated<number>;
  agent_id: string;
  amount: number;
  count: number;
  created_at: Seconds;
}

interface CoinTransferTable {
  id: Generated<number>;
  from_agent: string;
  to_agent: string;
  amount: number;
  memo: string | null;
  client_ref: string | null;
  created_at: Seconds;
}

export interface CoinTables {
  coin_account: CoinAccountTable;
  coin_balance: CoinBalanceTable;
  coin_posting: CoinPostingTable;
  coin_entry_agent: CoinEntryAgentTable;
  coin_entitlement: CoinEntitlementTable;
  coin_reward_day: CoinRewardDayTable;
  coin_grant_hour: CoinGrantHourTable;
  coin_claim: CoinClaimTable;
  coin_transfer: CoinTransferTable;
}
