import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { chosen, type EntrySelection } from "./selection.ts";

/** What an offer says, while it is on the market. */
export const offerTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_offer as o", (join) =>
      join.on("o.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "o.capability", "o.title", "o.description"])
    .where("e.kind", "=", "offer")
    .where("o.withdrawn_at", "is", null),
);

export const offerNoticeTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_offer_notice as n", (join) =>
      join.onRef("n.ref", "=", "e.ref").on("n.kind", "=", sql<"offer_flagged">`e.kind`),
    )
    .select(["e.ledger_id", "n.reason"])
    .where("e.kind", "in", ["offer_flagged", "offer_unflagged"]),
);

/** The order in `<order>/<n>`. */
const ORDER = sql<number>`cast(rtrim(rtrim(e.ref, '0123456789'), '/') as bigint)`;
const isNumbered = (table: "h" | "p" | "r") =>
  sql<boolean>`e.ref = ${sql.ref(`${table}.order_id`)} || '/' || ${sql.ref(`${table}.n`)}`;

/** Why the operator held an order, and why it ended that. */
export const holdTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_hold as h", (join) => join.on("h.order_id", "=", ORDER))
    .select("e.ledger_id")
    .select(
      sql<string>`case e.kind when 'order_held' then h.reason else h.outcome_reason end`.as(
        "reason",
      ),
    )
    .where(isNumbered("h"))
    .where("e.kind", "in", ["order_held", "order_resolved"]),
);

/** Transactions that have a name instead of a hash. */
export const paymentTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_payment as p", (join) => join.on("p.order_id", "=", ORDER))
    .select(["e.ledger_id", "p.txid"])
    .where(isNumbered("p"))
    .where("e.kind", "=", "order_payment"),
);

export const refundTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_refund as r", (join) => join.on("r.order_id", "=", ORDER))
    .select(["e.ledger_id", "r.txid"])
    .where(isNumbered("r"))
    .where("e.kind", "=", "refund"),
);

/** Why a payment without an order went to another account than its sender's. */
export const returnTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_unmatched as u", "u.txid", "e.ref")
    .select(["e.ledger_id", "u.reason"])
    .where("e.kind", "=", "payment_refunded"),
);

/** Why the operator has ended a doubt. */
export const doubtTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_doubt as d", (join) =>
      join.on(sql<boolean>`e.ref = d.hash || '/' || d.closed_at`),
    )
    .select(["e.ledger_id", "d.note as reason"])
    .where("e.kind", "=", "doubt_dismissed"),
);

/** The order in `<order>` or `<order>/<n>`. */
const PAID_ORDER = sql<number>`cast(case when e.ref like '%/%'
  then rtrim(rtrim(e.ref, '0123456789'), '/') else e.ref end as bigint)`;

export const payoutTexts = prepared((db, p: EntrySelection) =>
  db
    .selectFrom(chosen(db, p).as("e"))
    .innerJoin("market_payout as p", (join) => join.on("p.order_id", "=", PAID_ORDER))
    .select(["e.ledger_id", "p.txid"])
    .where(
      sql<boolean>`e.ref = case p.n when 1 then '' || p.order_id else p.order_id || '/' || p.n end`,
    )
    .where("e.kind", "=", "payout"),
);
