import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { locking } from "../../../platform/db/rows.ts";
import { TWINS_LOOKED_AT } from "../../../platform/kernel/contract/retry-fields.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

const COLUMNS = [
  "o.id",
  "o.capability",
  "o.title",
  "o.description",
  "o.price_usd_micro",
  "o.sla_hours",
  "o.flagged",
  "o.created_at",
  "o.withdrawn_at",
  "a.agent_id",
  "a.handle",
] as const;

/** One offer with its seller, listed or not. */
export const offerById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("market_offer as o")
    .innerJoin("agent as a", "a.id", "o.agent")
    .select(COLUMNS)
    .select(["o.agent", "a.banned_at"])
    .where("o.id", "=", p.id),
);

/** Keeps an offer as it is until the write ends: a withdrawal or a flag comes before it, or after it. */
export const lockOffer = locking(
  prepared((db, p: { id: number }) =>
    db.selectFrom("market_offer").select("id").where("id", "=", p.id).forShare(),
  ),
);

/** What makes an offer the same as another one. */
interface Twin {
  readonly agent: number;
  readonly title: string;
  readonly description: string;
  readonly price_usd_micro: number;
  readonly since: Seconds;
  readonly before_id: number;
}

/** The newest offer that says the same, among its seller's last ones. */
export const twinOfOffer = prepared((db, p: Twin) =>
  db
    .selectFrom(
      db
        .selectFrom("market_offer")
        .select(["id", "title", "description", "price_usd_micro", "created_at"])
        .where("agent", "=", p.agent)
        .where("id", "<", p.before_id)
        .orderBy("id", "desc")
        .limit(TWINS_LOOKED_AT)
        .as("o"),
    )
    .select(["o.id", "o.created_at"])
    .where("o.title", "=", p.title)
    .where("o.description", "=", p.description)
    .where("o.price_usd_micro", "=", p.price_usd_micro)
    .where("o.created_at", ">=", p.since)
    .orderBy("o.id", "desc")
    .limit(1),
);

/** The partial indexes are only for queries that say `listed = 1` in words. */
const LISTED = sql<boolean>`o.listed = 1 and o.withdrawn_at is null`;

/** Newest first; of one capability when given. */
export const listedOffers = prepared(
  (db, p: { before_id: number; limit: number; capability?: string }) => {
    const newest = db
      .selectFrom("market_offer as o")
      .innerJoin("agent as a", "a.id", "o.agent")
      .select(COLUMNS)
      .where(LISTED)
      .where("o.id", "<", p.before_id)
      .where("a.banned_at", "is", null)
      .orderBy("o.id", "desc")
      .limit(p.limit);
    return p.capability === undefined
      ? newest
      : newest.where("o.capability_folded", "=", p.capability);
  },
);

interface PriceScan {
  readonly before_id: number;
  /** The oldest offer that is looked at. */
  readonly from_id: number;
  readonly max: number;
  readonly limit: number;
  readonly capability?: string;
}

/** The same up to a price: walks the keys of an index, and reads rows only of what it finds. */
export const offersUpTo = prepared((db, p: PriceScan) => {
  const keys = db
    .selectFrom("market_offer as o")
    .select("o.id")
    .where(LISTED)
    .where("o.id", "<", p.before_id)
    .where("o.id", ">=", p.from_id)
    .where("o.price_usd_micro", "<=", p.max)
    .orderBy("o.id", "desc")
    .limit(p.limit);
  const found =
    p.capability === undefined ? keys : keys.where("o.capability_folded", "=", p.capability);
  return db
    .selectFrom(found.as("found"))
    .innerJoin("market_offer as o", "o.id", "found.id")
    .innerJoin("agent as a", "a.id", "o.agent")
    .select(COLUMNS)
    .where("a.banned_at", "is", null)
    .orderBy("o.id", "desc");
});

/** Where a walk over so many keys ends; nothing when it meets the end of the list before. */
export const scanEnd = prepared(
  (db, p: { before_id: number; scan: number; capability?: string }) => {
    const keys = db
      .selectFrom("market_offer as o")
      .select("o.id")
      .where(LISTED)
      .where("o.id", "<", p.before_id)
      .orderBy("o.id", "desc")
      .offset(p.scan)
      .limit(1);
    return p.capability === undefined ? keys : keys.where("o.capability_folded", "=", p.capability);
  },
);

/** An order of an offer that has not ended, if there is one. */
export const runningOrderOf = prepared((db, p: { offer: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where("offer", "=", p.offer)
    .where("state", "not in", ["paid_out", "refunded", "expired", "withdrawn"])
    .limit(1),
);
