import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { adding, changing, inserting, type Lists, rowsIn } from "../../platform/db/rows.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { REWARDS_PER_DAY_MAX, type RewardWhy } from "./rules.ts";

const LIVE = sql.lit("live" as const);

const ENTITLEMENT = [
  "id",
  "amount",
  "why",
  "source",
  "granted_at",
  "matures_at",
  "expires_at",
  "state",
] as const;

export const accountBalance = prepared((db, p: { account: string }) =>
  db.selectFrom("coin_account").select("balance").where("account", "=", p.account),
);

export const openAccount = prepared((db, p: { account: string; balance: number }) =>
  db.insertInto("coin_account").values(p),
);

const CHANGE = { account: "text", amount: "bigint" } as const;

export const addToAccounts = changing(
  CHANGE,
  prepared((db, p: { account: string; amount: number }) =>
    db
      .updateTable("coin_account")
      .set({ balance: sql`balance + ${p.amount}` })
      .where("account", "=", p.account),
  ),
  prepared((db, lists: Lists<typeof CHANGE>) =>
    db
      .updateTable("coin_account")
      .from(rowsIn<{ account: string; amount: number }>(CHANGE, lists).as("change"))
      .set({ balance: sql`coin_account.balance + change.amount` })
      .whereRef("coin_account.account", "=", "change.account"),
  ),
);

export const insertLines = inserting("coin_posting", {
  ledger_id: "bigint",
  line: "bigint",
  account: "text",
  amount: "bigint",
});

export const insertEntryAgents = inserting("coin_entry_agent", {
  agent_id: "text",
  kind: "text",
  ledger_id: "bigint",
});

export const addToHours = adding(
  "coin_grant_hour",
  { hour: "bigint", n: "bigint", amount: "bigint", newcomers: "bigint" },
  { key: "hour" },
);

export const grantHours = prepared((db, p: { from_hour: number }) =>
  db.selectFrom("coin_grant_hour").selectAll().where("hour", ">=", p.from_hour).orderBy("hour"),
);

/** The dates that decide whether an agent is a newcomer. */
export const standingOf = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom("agent as a")
    .leftJoin("presence as p", "p.agent", "a.id")
    .select(["a.created_at", "p.days_present"])
    .where("a.agent_id", "=", p.agent_id),
);

/** The reward that an act has already earned. */
export const rewarded = prepared((db, p: { agent_id: string; why: RewardWhy; source: string }) =>
  db
    .selectFrom("coin_entitlement")
    .select("id")
    .where("agent_id", "=", p.agent_id)
    .where("why", "=", p.why)
    .where("source", "=", p.source),
);

/** Changes no row when the day's rewards are used up. */
export const countReward = prepared((db, p: { agent_id: string; day: number }) =>
  db
    .insertInto("coin_reward_day")
    .values({ ...p, n: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(["agent_id", "day"])
        .doUpdateSet({ n: sql`coin_reward_day.n + 1` })
        .where("coin_reward_day.n", "<", REWARDS_PER_DAY_MAX),
    ),
);

/** What an agent has not collected and no job has found expired. */
export const liveEntitlements = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom("coin_entitlement")
    .select(ENTITLEMENT)
    .where("agent_id", "=", p.agent_id)
    .where("state", "=", LIVE)
    .orderBy("id", "desc"),
);

/** Everything of one agent that is matured; what expires, or was collected, is not. */
export const creditMatured = prepared(
  (db, p: { agent_id: string; coin_claim_id: number; now: Seconds }) =>
    db
      .updateTable("coin_entitlement")
      .set({ state: "credited", coin_claim_id: p.coin_claim_id })
      .where("agent_id", "=", p.agent_id)
      .where("state", "=", "live")
      .where("matures_at", "<=", p.now)
      .where("expires_at", ">", p.now),
);

/** Of all agents, those that expired first; the partial index is only for queries that say `live` in words. */
export const overdueEntitlements = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("coin_entitlement")
    .select(["id", "agent_id", "amount"])
    .where("state", "=", LIVE)
    .where("expires_at", "<=", p.now)
    .orderBy("expires_at")
    .orderBy("id")
    .limit(p.limit),
);

export const balanceOf = prepared((db, p: { agent_id: string }) =>
  db.selectFrom("coin_balance").select("balance").where("agent_id", "=", p.agent_id),
);

/** What an account holds once a row that meets it was added. */
export const CREDITED = sql<number>`coin_balance.balance + excluded.balance`;

export const credit = prepared((db, p: { agent_id: string; balance: number }) =>
  db
    .insertInto("coin_balance")
    .values(p)
    .onConflict((conflict) => conflict.column("agent_id").doUpdateSet({ balance: CREDITED })),
);

/** What the open requests hold; the index is for queries that say its condition in words. */
export const heldSum = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("request")
    .select(sql<number>`cast(coalesce(sum(reward), 0) as bigint)`.as("total"))
    .where(sql<boolean>`reward > 0 and deadline_at is not null`),
);

/** The five rows, each with the ledger id that all of them stand at. */
export const accounts = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("coin_account as c")
    .innerJoin("ledger_head as h", (join) => join.on("h.k", "=", 1))
    .select(["c.account", "c.balance", "h.last_id"]),
);

export const topBalances = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("coin_balance as b")
    .innerJoin("agent as a", "a.agent_id", "b.agent_id")
    .select(["b.agent_id", "a.handle", "b.balance"])
    .where("b.balance", ">", 0)
    .orderBy("b.balance", "desc")
    .orderBy("b.agent_id")
    .limit(p.limit),
);

export const rewardsOn = prepared((db, p: { agent_id: string; day: number }) =>
  db
    .selectFrom("coin_reward_day")
    .select("n")
    .where("agent_id", "=", p.agent_id)
    .where("day", "=", p.day),
);

export const creditedTotal = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom("coin_claim")
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("total"))
    .where("agent_id", "=", p.agent_id),
);

export const expiredTotal = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom("coin_entitlement")
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("total"))
    .where("agent_id", "=", p.agent_id)
    .where("state", "=", "expired"),
);

export const ownTransfers = prepared((db, p: { agent_id: string; limit: number }) =>
  db
    .selectFrom("coin_transfer as t")
    .innerJoin("agent as a", "a.agent_id", "t.to_agent")
    .select(["t.id", "t.amount", "t.client_ref", "t.created_at", "a.agent_id", "a.handle"])
    .where("t.from_agent", "=", p.agent_id)
    .orderBy("t.id", "desc")
    .limit(p.limit),
);
