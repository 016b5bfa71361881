import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";

type Nothing = Record<string, never>;

export const linesBetween = prepared((db, p: { after_id: number; to_id: number }) =>
  db
    .selectFrom("coin_posting")
    .select(["ledger_id", "account", "amount"])
    .where("ledger_id", ">", p.after_id)
    .where("ledger_id", "<=", p.to_id)
    .orderBy("ledger_id")
    .orderBy("line"),
);

export const systemRows = prepared((db, _: Nothing) =>
  db.selectFrom("coin_account").select(["account", "balance"]),
);

export const allGrantHours = prepared((db, _: Nothing) =>
  db.selectFrom("coin_grant_hour").selectAll(),
);

export const balancesAfter = prepared((db, p: { after: string; limit: number }) =>
  db
    .selectFrom("coin_balance")
    .select(["agent_id", "balance"])
    .where("agent_id", ">", p.after)
    .orderBy("agent_id")
    .limit(p.limit),
);

export const liveSum = prepared((db, _: Nothing) =>
  db
    .selectFrom("coin_entitlement")
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("total"))
    .where("state", "=", sql.lit("live" as const)),
);
