import { type Kysely, type RawBuilder, sql } from "kysely";
import { prepared, preparedRead } from "../../../platform/db/prepared.ts";
import { perEngine } from "../../../platform/db/rows.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

/** Words that occur in a text, or the number of a thing. */
interface Search {
  /** A pattern of LIKE in lower case, with `\` before a character that it means itself. */
  readonly like?: string;
  readonly id?: number;
  /** How many of the newest rows are looked at. */
  readonly window: number;
  readonly limit: number;
}

interface FoundText {
  readonly id: number;
  readonly at: Seconds;
  readonly text: string | null;
  readonly hidden_at: Seconds | null;
  /** Its author. */
  readonly agent_id: string | null;
  readonly handle: string | null;
}

const LITERAL = sql.raw("escape '\\'");

/** SQLite compares letters from a to z in any case; the pattern of PostgreSQL is in lower case. */
const hasWords = (db: Kysely<Tables>, column: string, like: string) =>
  perEngine(db, {
    sqlite: () => sql<boolean>`${sql.ref(column)} like ${like} ${LITERAL}`,
    postgres: () => sql<boolean>`lower(${sql.ref(column)}) like ${like} ${LITERAL}`,
  });

/** Those of the newest rows with the words in their texts, or the row with the number. */
const foundIn = (rows: RawBuilder<unknown>) =>
  preparedRead((db, p: Search) => {
    const newest =
      p.id === undefined
        ? sql`order by s.id desc limit ${p.window}`
        : sql`where s.id = ${p.id} limit ${p.window}`;
    const matches = p.like === undefined ? sql`1 = 1` : hasWords(db, "w.text", p.like);
    return sql<FoundText>`
      select w.id, w.at, w.text, w.hidden_at, a.agent_id, a.handle
      from (select * from (${rows}) as s ${newest}) as w left join agent as a on a.id = w.agent
      where ${matches} order by w.id desc limit ${p.limit}`;
  });

const SHOWN = sql`cast(null as bigint) as hidden_at`;
const NOBODY = sql`cast(null as bigint) as agent`;

/** Things that are found by their words or their numbers, by kind. */
export const things = {
  agent: foundIn(sql`
    select id, id as agent, created_at as at, ${SHOWN}, coalesce(handle, '') || ' ' || agent_id as text
    from agent`),
  profile: foundIn(sql`
    select agent as id, agent, updated_at as at, ${SHOWN},
      coalesce(name, '') || ' ' || coalesce(purpose, '') as text
    from profile`),
  post: foundIn(sql`select id, agent, created_at as at, body as text, hidden_at from post`),
  app: foundIn(sql`
    select id, agent, created_at as at, name || ' ' || description as text, hidden_at from app`),
  repo: foundIn(sql`
    select id, founder as agent, created_at as at, name || ' ' || mission as text, ${SHOWN}
    from repository`),
  repo_commit: foundIn(sql`
    select id, agent, created_at as at, summary as text, ${SHOWN} from repository_commit`),
  claim: foundIn(sql`select id, agent, created_at as at, statement as text, ${SHOWN} from claim`),
  verdict: foundIn(
    sql`select id, agent, created_at as at, evidence as text, ${SHOWN} from verdict`,
  ),
  request: foundIn(sql`select id, agent, created_at as at, text, ${SHOWN} from request`),
  request_answer: foundIn(sql`
    select id, agent, created_at as at, answer as text, ${SHOWN} from request_answer`),
  offer: foundIn(sql`
    select id, agent, created_at as at, title || ' ' || description as text, ${SHOWN}
    from market_offer`),
  order: foundIn(sql`
    select id, buyer as agent, created_at as at, state as text, ${SHOWN} from market_order`),
  task: foundIn(sql`
    select id, ${NOBODY}, created_at as at, title || ' ' || description as text, ${SHOWN} from task`),
  quest: foundIn(sql`
    select id, ${NOBODY}, created_at as at, title || ' ' || description as text, ${SHOWN}
    from quest`),
  coin_transfer: foundIn(sql`
    select t.id, f.id as agent, t.created_at as at, t.memo as text, ${SHOWN}
    from coin_transfer as t join agent as f on f.agent_id = t.from_agent`),
  contribution: foundIn(sql`
    select id, agent, created_at as at, note as text, ${SHOWN} from contribution`),
};

/** Texts that are kept out of sight. */
export const hiddenTexts = prepared((db, p: { like: string; limit: number }) =>
  db
    .selectFrom("hidden_text as h")
    .innerJoin("text_removal as r", (join) =>
      join.onRef("r.kind", "=", "h.kind").onRef("r.ref", "=", "h.ref"),
    )
    .select(["h.kind", "h.ref", "h.body as text", "r.hidden_at"])
    .where("h.kind", "<>", "file")
    .where(hasWords(db, "h.body", p.like))
    .orderBy("r.hidden_at", "desc")
    .limit(p.limit),
);

interface Account {
  /** In lower case. */
  readonly name: string;
  readonly limit: number;
}

interface Moved {
  readonly what: string;
  readonly id: number;
  readonly at: Seconds;
  readonly name: string;
}

/** Where a transaction or an address occurs: orders by their ids, and agents by their rows. */
export const moved = preparedRead((_, p: Account) => {
  const is = (column: string) => sql`lower(${sql.ref(column)}) = ${p.name}`;
  return sql<Moved>`
    select * from (
      select 'order, paid to' as what, id, created_at as at, escrow_address as name
        from market_order where ${is("escrow_address")}
      union all select 'payment', order_id, at, txid from market_payment where ${is("txid")}
      union all select 'payment from', order_id, at, from_account
        from market_payment where ${is("from_account")}
      union all select 'payout', order_id, at, txid from market_payout where ${is("txid")}
      union all select 'payout to', order_id, at, to_account
        from market_payout where ${is("to_account")}
      union all select 'refund', order_id, at, txid from market_refund where ${is("txid")}
      union all select 'refund to', order_id, at, coalesce(sent_to, to_account)
        from market_refund where ${is("to_account")} or ${is("sent_to")}
      union all select 'contribution', id, created_at, txid
        from contribution where ${is("txid")} or ${is("receive_hash")}
      union all select 'payout address of', agent, set_at, address
        from market_payout_address where ${is("address")}
    ) as m order by m.at desc limit ${p.limit}`;
});

/** A payment that names no order. */
export const unmatched = prepared((db, p: Account) =>
  db
    .selectFrom("market_unmatched")
    .select(["txid", "from_account", "first_seen_at", "order_id"])
    .where(sql<boolean>`lower(txid) = ${p.name} or lower(from_account) = ${p.name}
      or lower(sent_txid) = ${p.name}`)
    .orderBy("first_seen_at", "desc")
    .limit(p.limit),
);

/** A content of repositories. */
export const content = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_blob as b")
    .innerJoin("agent as a", "a.id", "b.agent")
    .select(["b.sha256", "b.created_at", "b.purged_at", "a.agent_id", "a.handle"])
    .where("b.sha256", "=", p.sha256),
);

export const agentOf = prepared((db, p: { id: number }) =>
  db.selectFrom("agent").select(["agent_id", "handle"]).where("id", "=", p.id),
);
