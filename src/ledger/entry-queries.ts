import { type Kysely, type NotNull, sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import { isOneOf, joinedHex } from "../db/rows.ts";
import type { Tables } from "../db/tables.ts";
import type { Seconds } from "../kernel/time.ts";

/*
 * Every query of entries. Other folders read the ledger through these, so no other file says how an
 * entry is stored.
 */

type Nothing = Record<string, never>;

/** Entries that have their place: their ids, times and names. */
export const places = (db: Kysely<Tables>) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "at", "kind", "ref"])
    .where("ledger_id", "is not", null)
    .$narrowType<{ ledger_id: NotNull; at: NotNull }>();

/** The same of one kind. */
export const placesOf = (db: Kysely<Tables>, kind: string) => places(db).where("kind", "=", kind);

const bodies = (db: Kysely<Tables>) => places(db).select("body");

const wholes = (db: Kysely<Tables>) =>
  bodies(db).select(["entry", "leaf"]).$narrowType<{ entry: NotNull; leaf: NotNull }>();

export const entryById = prepared((db, p: { ledger_id: number }) =>
  wholes(db).where("ledger_id", "=", p.ledger_id),
);

export const entryByRef = prepared((db, p: { kind: string; ref: string }) =>
  wholes(db).where("kind", "=", p.kind).where("ref", "=", p.ref),
);

/** The body of an entry, whether or not it has its place. */
export const recordedBody = prepared((db, p: { kind: string; ref: string }) =>
  db.selectFrom("ledger_entry").select("body").where("kind", "=", p.kind).where("ref", "=", p.ref),
);

/** An entry and the seal that covers it, if it has one. */
export const entryAndSeal = prepared((db, p: { kind: string; ref: string }) =>
  wholes(db)
    .select((select) =>
      select
        .selectFrom("seal")
        .select("seq")
        .whereRef("to_id", ">=", "ledger_id")
        .orderBy("to_id")
        .limit(1)
        .as("seq"),
    )
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref),
);

/** In ledger order. */
export const entriesOfKind = prepared((db, p: { kind: string }) =>
  bodies(db).where("kind", "=", p.kind).orderBy("ledger_id"),
);

interface After {
  readonly after_id: number;
  readonly to_id?: number | undefined;
  readonly limit: number;
}

interface Range {
  readonly kind: string;
  readonly after_id?: number | undefined;
  readonly before_id?: number | undefined;
  readonly limit: number;
}

/** In ledger order, of one kind when given. */
export const entriesAfter = prepared((db, p: After & { readonly kind?: string | undefined }) =>
  bodies(db)
    .where("ledger_id", ">", p.after_id)
    .$if(p.to_id !== undefined, (all) => all.where("ledger_id", "<=", p.to_id ?? 0))
    .$if(p.kind !== undefined, (all) => all.where("kind", "=", p.kind ?? ""))
    .orderBy("ledger_id")
    .limit(p.limit),
);

/** The same with what was hashed. */
export const sealedAfter = prepared((db, p: After & { readonly kind?: string | undefined }) =>
  wholes(db)
    .where("ledger_id", ">", p.after_id)
    .$if(p.to_id !== undefined, (all) => all.where("ledger_id", "<=", p.to_id ?? 0))
    .$if(p.kind !== undefined, (all) => all.where("kind", "=", p.kind ?? ""))
    .orderBy("ledger_id")
    .limit(p.limit),
);

/** Whole rows, for a copy. */
export const entryRows = prepared((db, p: After) =>
  wholes(db)
    .select("row_id")
    .where("ledger_id", ">", p.after_id)
    .orderBy("ledger_id")
    .limit(p.limit),
);

/** The entries between two ids that are of one of the kinds in a JSON list, in ledger order. */
export const entriesOfKinds = prepared(
  (db, p: { kinds: string; after_id: number; to_id: number }) =>
    bodies(db)
      .where("ledger_id", ">", p.after_id)
      .where("ledger_id", "<=", p.to_id)
      .where(isOneOf(db, "kind", "text", p.kinds))
      .orderBy("ledger_id"),
);

/** The entries of a JSON list of ids, in ledger order. */
export const entriesByIds = prepared((db, p: { ids: string }) =>
  bodies(db)
    .where(isOneOf(db, "ledger_id", "bigint", p.ids))
    .orderBy("ledger_id"),
);

const idsOf = (db: Kysely<Tables>, p: Range) =>
  placesOf(db, p.kind)
    .clearSelect()
    .select("ledger_id")
    .$narrowType<{ ledger_id: NotNull }>()
    .$if(p.after_id !== undefined, (all) => all.where("ledger_id", ">", p.after_id ?? 0))
    .$if(p.before_id !== undefined, (all) => all.where("ledger_id", "<", p.before_id ?? 0))
    .limit(p.limit);

/** Oldest first. */
export const idsAfter = prepared((db, p: Range) => idsOf(db, p).orderBy("ledger_id"));

/** Newest first. */
export const idsBefore = prepared((db, p: Range) => idsOf(db, p).orderBy("ledger_id", "desc"));

/** The entries of a kind whose references lie in a range; those that end in a number in its order. */
export const entriesOfRefs = prepared((db, p: { kind: string; from: string; end: string }) =>
  db
    .selectFrom("ledger_entry")
    .select("body")
    .where("kind", "=", p.kind)
    .where("ref", ">=", p.from)
    .where("ref", "<", p.end)
    .orderBy(sql`length(ref)`)
    .orderBy("ref"),
);

/** Leaves in hex, one behind the other. */
export const leaves = prepared((db, p: { from_id: number; to_id: number }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("ledger_entry")
        .select(["leaf", "ledger_id"])
        .where("ledger_id", ">=", p.from_id)
        .where("ledger_id", "<=", p.to_id)
        .orderBy("ledger_id")
        .as("covered"),
    )
    .select(joinedHex(db, "leaf", "ledger_id").as("hex")),
);

/**
 * The id of the first entry of that second or later, if there is one. Times rise with the ids, so
 * they are halved until one is left: no write keeps an index for a question this rare.
 */
export const firstIdAt = prepared((db, p: { since: Seconds }) =>
  db
    .withRecursive("halving(low, high)", (with_) =>
      with_
        .selectFrom("ledger_head")
        .select([sql<number>`cast(1 as bigint)`.as("low"), sql<number>`last_id + 1`.as("high")])
        .where("k", "=", 1)
        .unionAll((more) =>
          more
            .selectFrom("halving as h")
            .innerJoin("ledger_entry as e", (join) =>
              join.on("e.ledger_id", "=", sql<number>`(h.low + h.high) / 2`),
            )
            .select([
              sql<number>`case when e.at < ${p.since} then e.ledger_id + 1 else h.low end`.as(
                "low",
              ),
              sql<number>`case when e.at < ${p.since} then h.high else e.ledger_id end`.as("high"),
            ])
            .whereRef("h.low", "<", "h.high"),
        ),
    )
    .selectFrom("halving as h")
    .innerJoin("ledger_entry as e", "e.ledger_id", "h.low")
    .select("h.low as ledger_id")
    .whereRef("h.low", "=", "h.high"),
);

/** The oldest entry that has no id yet: its age is how far sequencing lags. */
export const oldestUnsequenced = prepared((db, _: Nothing) =>
  db
    .selectFrom("ledger_entry")
    .select("row_id")
    .where("ledger_id", "is", null)
    .orderBy("row_id")
    .limit(1),
);

/** Every committed entry that has no id yet. */
export const unsequenced = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_entry").select(["kind", "body"]).where("ledger_id", "is", null),
);
