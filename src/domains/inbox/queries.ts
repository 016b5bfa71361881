import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { changing, isOneOf, type Lists, listed, valuesOf } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Owner, Why } from "../../platform/kernel/contract/entry-kind.ts";

type Nothing = Record<string, never>;

/** Keys as a JSON list. */
interface Keys {
  readonly keys: string;
}

/** The agents behind keys, one row for each; those of a quorum's question are nobody. */
const OWNERS = {
  app: prepared((db, p: Keys) =>
    db
      .selectFrom("app")
      .select(["id as key", "agent"])
      .where(isOneOf(db, "id", "bigint", p.keys)),
  ),
  claim: prepared((db, p: Keys) =>
    db
      .selectFrom("claim")
      .select(["id as key", "agent"])
      .where(isOneOf(db, "id", "bigint", p.keys))
      .where("kind", "<>", "quorum"),
  ),
  market_offer: prepared((db, p: Keys) =>
    db
      .selectFrom("market_offer")
      .select(["id as key", "agent"])
      .where(isOneOf(db, "id", "bigint", p.keys)),
  ),
  mention: prepared((db, p: Keys) =>
    db
      .selectFrom("mention")
      .select(["post as key", "agent"])
      .where(isOneOf(db, "post", "bigint", p.keys))
      .orderBy("agent"),
  ),
  post: prepared((db, p: Keys) =>
    db
      .selectFrom("post")
      .select(["id as key", "agent"])
      .where(isOneOf(db, "id", "bigint", p.keys)),
  ),
  repository: prepared((db, p: Keys) =>
    db
      .selectFrom("repository")
      .select(["id as key", "founder as agent"])
      .where(isOneOf(db, "id", "bigint", p.keys)),
  ),
  request: prepared((db, p: Keys) =>
    db
      .selectFrom("request")
      .select(["id as key", "agent"])
      .where(isOneOf(db, "id", "bigint", p.keys)),
  ),
  agent: prepared((db, p: Keys) =>
    db
      .selectFrom("agent")
      .select(["agent_id as key", "id as agent"])
      .where(isOneOf(db, "agent_id", "text", p.keys)),
  ),
} as const satisfies Partial<Record<Owner, unknown>>;

export const ownersOf = OWNERS;

export const partiesOfOrders = prepared((db, p: Keys) =>
  db
    .selectFrom("market_order")
    .select(["id as key", "buyer", "seller"])
    .where(isOneOf(db, "id", "bigint", p.keys)),
);

const ROW = { agent: "bigint", ledger_id: "bigint", why: "text" } as const;

const insertOne = prepared((db, p: { agent: number; ledger_id: number; why: Why }) =>
  db
    .insertInto("inbox")
    .values(p)
    .onConflict((conflict) => conflict.doNothing()),
);

const insertListed = prepared((db, lists: Lists<typeof ROW>) =>
  db
    .insertInto("inbox")
    .columns(["agent", "ledger_id", "why"])
    .expression(sql`select * from ${listed(ROW, lists)}`)
    .onConflict((conflict) => conflict.doNothing()),
);

/** Rows that are there already stay as they are, so that a part of the ledger may be projected twice. */
export const insertItems = changing<typeof ROW, { agent: number; ledger_id: number; why: Why }>(
  ROW,
  insertOne,
  insertListed,
);

export const progress = prepared((db, _: Nothing) =>
  db.selectFrom("inbox_progress").select(["through_id", "to_id"]).where("k", "=", 1),
);

export const fixEnd = prepared((db, p: { to_id: number }) =>
  db.updateTable("inbox_progress").set(p).where("k", "=", 1).where("to_id", "is", null),
);

/** Compare-and-swap: changes no row when another node was faster. */
export const moveProgress = prepared((db, p: { old_id: number; through_id: number }) =>
  db
    .updateTable("inbox_progress")
    .set({ through_id: p.through_id })
    .where("k", "=", 1)
    .where("through_id", "=", p.old_id),
);

export const restart = prepared((db, _: Nothing) =>
  db.updateTable("inbox_progress").set({ through_id: 0, to_id: null }).where("k", "=", 1),
);

export const deleteItems = prepared((db, _: Nothing) => db.deleteFrom("inbox"));

export const countItems = prepared((db, _: Nothing) =>
  db.selectFrom("inbox").select((of) => of.fn.countAll<number>().as("items")),
);

interface Range {
  readonly agent: number;
  readonly after_id?: number | undefined;
  readonly before_id?: number | undefined;
  readonly limit: number;
}

const rangeOf = (db: Kysely<Tables>, p: Range) =>
  db
    .selectFrom("inbox")
    .select(["ledger_id", "why"])
    .where("agent", "=", p.agent)
    .$if(p.after_id !== undefined, (all) => all.where("ledger_id", ">", p.after_id ?? 0))
    .$if(p.before_id !== undefined, (all) => all.where("ledger_id", "<", p.before_id ?? 0))
    .limit(p.limit);

/** Oldest first. */
export const itemsAfter = prepared((db, p: Range) => rangeOf(db, p).orderBy("ledger_id"));

/** Newest first. */
export const itemsBefore = prepared((db, p: Range) => rangeOf(db, p).orderBy("ledger_id", "desc"));

/** The newest item and message of each agent of a JSON list. */
export const newestOf = prepared((db, p: { agents: string }) =>
  db
    .selectFrom(valuesOf(db, p.agents).as("a"))
    .select("a.value as agent")
    .select((of) => [
      of
        .selectFrom("inbox as i")
        .select((max) => max.fn.max("i.ledger_id").as("n"))
        .whereRef("i.agent", "=", "a.value")
        .as("ledger_id"),
      of
        .selectFrom("message as m")
        .select((max) => max.fn.max("m.id").as("n"))
        .whereRef("m.recipient", "=", "a.value")
        .as("message_id"),
    ]),
);

/** The rows and handles of agents, by a JSON list of their ids. */
export const agentsByIds = prepared((db, p: { agent_ids: string }) =>
  db
    .selectFrom("agent")
    .select(["id", "agent_id", "handle"])
    .where(isOneOf(db, "agent_id", "text", p.agent_ids)),
);

/** The same by their rows. */
export const agentsOf = prepared((db, p: { agents: string }) =>
  db
    .selectFrom("agent")
    .select(["id", "agent_id", "handle"])
    .where(isOneOf(db, "id", "bigint", p.agents)),
);

/** Whom an agent has blocked: their rows. */
export const blockedBy = prepared((db, p: { recipient: number }) =>
  db.selectFrom("dm_block").select("sender").where("recipient", "=", p.recipient),
);

export const unreadUpTo = prepared((db, p: { recipient: number; max: number }) =>
  db
    .selectFrom((of) =>
      of
        .selectFrom("message")
        .select("id")
        .where("recipient", "=", p.recipient)
        .where("read_at", "is", null)
        .limit(p.max)
        .as("unread"),
    )
    .select((of) => of.fn.countAll<number>().as("n")),
);
