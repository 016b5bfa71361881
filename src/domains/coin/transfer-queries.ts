import { sql } from "kysely";
import type { Tx } from "../../platform/db/engine.ts";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { changingEach, type Lists, locking, rowsIn } from "../../platform/db/rows.ts";
import { TWINS_LOOKED_AT } from "../../platform/kernel/contract/retry-fields.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { balanceOf, CREDITED, credit } from "./queries.ts";

/** A transfer before it is stored. */
export interface NewTransfer {
  readonly from_agent: string;
  readonly to_agent: string;
  readonly amount: number;
  readonly memo: string | null;
  readonly client_ref: string | null;
  readonly created_at: Seconds;
}

/** A transfer that was made. */
export interface Made {
  readonly id: number;
  readonly from_agent: string;
  /** What the sender has left. */
  readonly balance: number;
}

/** Changes no row when the balance is lower. */
export const debit = prepared((db, p: { agent_id: string; amount: number }) =>
  db
    .updateTable("coin_balance")
    .set({ balance: sql`balance - ${p.amount}` })
    .where("agent_id", "=", p.agent_id)
    .where("balance", ">=", p.amount),
);

/** What makes a transfer the same as another one. */
interface Twin extends Pick<NewTransfer, "from_agent" | "to_agent" | "amount" | "memo"> {
  readonly since: Seconds;
  readonly before_id: number;
}

/** The newest transfer that says the same, among its sender's last ones. */
export const twinOf = prepared((db, p: Twin) =>
  db
    .selectFrom(
      db
        .selectFrom("coin_transfer")
        .select(["id", "to_agent", "amount", "memo", "created_at"])
        .where("from_agent", "=", p.from_agent)
        .where("id", "<", p.before_id)
        .orderBy("id", "desc")
        .limit(TWINS_LOOKED_AT)
        .as("t"),
    )
    .select(["t.id", "t.created_at"])
    .where("t.to_agent", "=", p.to_agent)
    .where("t.amount", "=", p.amount)
    .where("t.memo", "is not distinct from", p.memo)
    .where("t.created_at", ">=", p.since)
    .orderBy("t.id", "desc")
    .limit(1),
);

const insertTransfer = insertNumbered("coin_transfer", (p: NewTransfer) => p);

async function transferOne(tx: Tx, wanted: NewTransfer): Promise<Made | undefined> {
  const { from_agent, to_agent, amount } = wanted;
  if ((await debit.run(tx, { agent_id: from_agent, amount })) === 0) return undefined;
  const [row, left] = await Promise.all([
    insertTransfer.first(tx, wanted),
    balanceOf.first(tx, { agent_id: from_agent }),
    credit.run(tx, { agent_id: to_agent, balance: amount }),
  ]);
  if (row === undefined || left === undefined)
    throw new Error("A transfer was made and is not there.");
  return { id: row.id, from_agent, balance: left.balance };
}

const COLUMNS = ["from_agent", "to_agent", "amount", "memo", "client_ref", "created_at"] as const;

const TRANSFER = {
  from_agent: "text",
  to_agent: "text",
  amount: "bigint",
  memo: "text",
  client_ref: "text",
  created_at: "bigint",
} as const;

const transferListed = prepared((db, lists: Lists<typeof TRANSFER>) =>
  db
    .with("wanted", () => rowsIn<NewTransfer>(TRANSFER, lists))
    .with("debited", (query) =>
      query
        .updateTable("coin_balance as b")
        .from("wanted as w")
        .set({ balance: sql`b.balance - w.amount` })
        .whereRef("b.agent_id", "=", "w.from_agent")
        // Not `b.balance >= w.amount`: the account is one row, and an index over balances finds many.
        .where(sql`b.balance - w.amount`, ">=", 0)
        .returning(["b.agent_id", "b.balance"]),
    )
    .with("credited", (query) =>
      query
        .insertInto("coin_balance")
        .columns(["agent_id", "balance"])
        .expression((select) =>
          select
            .selectFrom("wanted as w")
            .innerJoin("debited as d", "d.agent_id", "w.from_agent")
            .select(["w.to_agent", "w.amount"])
            .orderBy("w.to_agent"),
        )
        .onConflict((conflict) => conflict.column("agent_id").doUpdateSet({ balance: CREDITED })),
    )
    .with("made", (query) =>
      query
        .insertInto("coin_transfer")
        .columns(COLUMNS)
        .expression((select) =>
          select
            .selectFrom("wanted as w")
            .innerJoin("debited as d", "d.agent_id", "w.from_agent")
            .select(COLUMNS.map((name) => `w.${name}` as const)),
        )
        .returning(["id", "from_agent"]),
    )
    .selectFrom("made as m")
    .innerJoin("debited as d", "d.agent_id", "m.from_agent")
    .select(["m.id", "m.from_agent", "d.balance"]),
);

/**
 * Makes those transfers whose senders have enough, and resolves to them. No agent may be in two of
 * them: one statement changes a row once.
 */
export const transferEach = changingEach<typeof TRANSFER, NewTransfer, Made>(
  TRANSFER,
  transferOne,
  transferListed,
);

/**
 * Locks the accounts of agents, in one order for all, so that no two groups of transfers wait for each
 * other in a circle. An agent without an account has nothing to lock: groups that open the same
 * accounts in several rounds each could still meet, and the server undoes one, which runs again.
 */
export const lockAccounts = locking(
  prepared((db, p: { agents: readonly string[] }) =>
    db
      .selectFrom("coin_balance")
      .select("agent_id")
      .where("agent_id", "=", sql<string>`any(${p.agents}::text[])`)
      .orderBy("agent_id")
      .forUpdate(),
  ),
);
