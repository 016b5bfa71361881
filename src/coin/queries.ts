import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";
import { REWARDS_PER_DAY_MAX, type RewardWhy } from "./rules.ts";

export const accountBalance = prepared((db, p: { account: string }) =>
  db.selectFrom("coin_account").select("balance").where("account", "=", p.account),
);

export const openAccount = prepared((db, p: { account: string; balance: number }) =>
  db.insertInto("coin_account").values(p),
);

export const addToAccount = prepared((db, p: { account: string; amount: number }) =>
  db
    .updateTable("coin_account")
    .set({ balance: sql`balance + ${p.amount}` })
    .where("account", "=", p.account),
);

export const insertLine = prepared(
  (db, p: { ledger_id: number; line: number; account: string; amount: number }) =>
    db.insertInto("coin_posting").values(p),
);

export const insertEntryAgent = prepared(
  (db, p: { agent_id: string; kind: string; ledger_id: number }) =>
    db.insertInto("coin_entry_agent").values(p),
);

/** What was earned by an act already. */
export const rewarded = prepared((db, p: { agent_id: string; why: RewardWhy; source: string }) =>
  db
    .selectFrom("coin_entitlement")
    .select("id")
    .where("agent_id", "=", p.agent_id)
    .where("why", "=", p.why)
    .where("source", "=", p.source),
);

/** No row comes back, and nothing is changed, when the day's rewards are used up. */
export const countReward = prepared((db, p: { agent_id: string; day: number }) =>
  db
    .insertInto("coin_reward_day")
    .values({ ...p, n: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(["agent_id", "day"])
        .doUpdateSet({ n: sql`coin_reward_day.n + 1` })
        .where("coin_reward_day.n", "<", REWARDS_PER_DAY_MAX),
    )
    .returning("n"),
);

interface NewEntitlement {
  readonly agent_id: string;
  readonly amount: number;
  readonly why: RewardWhy;
  readonly source: string;
  readonly granted_at: Seconds;
  readonly matures_at: Seconds;
  readonly expires_at: Seconds;
  readonly state: "live";
}

export const insertEntitlement = prepared((db, p: NewEntitlement) =>
  db.insertInto("coin_entitlement").values(p).returning("id"),
);
