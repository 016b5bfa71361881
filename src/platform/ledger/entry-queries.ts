import { type Kysely, type NotNull, sql } from "kysely";
import type { Db } from "../db/engine.ts";
import { prepared } from "../db/prepared.ts";
import { isOneOf, joinedHex } from "../db/rows.ts";
import type { Tables } from "../db/tables.ts";
import type { Seconds } from "../kernel/time.ts";
import { whole, wholeAndSeal, withBodies } from "./stored-entry.ts";

/*
 * Every query of entries. Other folders read the ledger through these, so no other file says how an
 * entry is stored.
 */

type Nothing = Record<string, never>;

/** Entries that have their place: their ids, times and names. */
export const places = (db: Kysely<Tables>) =>
  db
    .selectFrom("ledger_entry as e")
    .leftJoin("ledger_kind as k", "k.id", "e.kind")
    .select(["e.ledger_id", "e.at", "k.kind", "e.ref"])
    .$narrowType<{ kind: NotNull }>();

interface Named {
  readonly kind: string;
  readonly ref: string;
}

/** The index by kind leaves posts out, and is used only where a query says so, too. */
const NO_POST = sql<boolean>`e.kind <> 1`;

/** The number of a kind; null for one without entries. */
const numberOf = (kind: string) => sql<number>`(select id from ledger_kind where kind = ${kind})`;

/** The same of one kind, to be found by their references. */
export const named = (db: Kysely<Tables>, kind: string) =>
  places(db).where("e.kind", "=", numberOf(kind));

/** The same of one kind in ledger order. There is no such index of posts. */
export const placesOf = (db: Kysely<Tables>, kind: string) => named(db, kind).where(NO_POST);

/** Adds what a body is made of. */
const packed = <Q extends ReturnType<typeof places>>(entries: Q) =>
  entries.leftJoin("ledger_shape as s", "s.id", "e.shape").select(["s.names", "e.body as bytes"]);

const bodies = (db: Kysely<Tables>) => packed(places(db));

const wholes = (db: Kysely<Tables>) => bodies(db).select("e.leaf");

export const entryById = whole(
  prepared((db, p: { ledger_id: number }) => wholes(db).where("e.ledger_id", "=", p.ledger_id)),
);

export const entryByRef = whole(
  prepared((db, p: Named) =>
    wholes(db).where("e.kind", "=", numberOf(p.kind)).where("e.ref", "=", p.ref),
  ),
);

const pendingBody = prepared((db, p: Named) =>
  db
    .selectFrom("ledger_pending")
    .select("body")
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref),
);

/** The body of an entry, whether or not it has its place. */
export const recordedBody = async (
  read: Db,
  name: Named,
): Promise<{ readonly body: string } | undefined> =>
  // In this order: what gets its place meanwhile is found there.
  (await pendingBody.first(read, name)) ?? (await entryByRef.first(read, name));

/** An entry and the seal that covers it, if it has one. */
export const entryAndSeal = wholeAndSeal(
  prepared((db, p: Named) =>
    wholes(db)
      .select((select) =>
        select
          .selectFrom("seal")
          .select("seq")
          .whereRef("to_id", ">=", "e.ledger_id")
          .orderBy("to_id")
          .limit(1)
          .as("seq"),
      )
      .where("e.kind", "=", numberOf(p.kind))
      .where("e.ref", "=", p.ref),
  ),
);

/** In ledger order; not of posts. */
export const entriesOfKind = withBodies(
  prepared((db, p: { kind: string }) => packed(placesOf(db, p.kind)).orderBy("e.ledger_id")),
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

/** Builds of a range of entries those with bodies, or the whole ones. */
const ranged = <P extends After>(which: (entries: Entries, p: P) => Entries) => ({
  withBodies: withBodies(prepared((db, p: P) => within(which(bodies(db), p), p))),
  whole: whole(prepared((db, p: P) => within(which(bodies(db), p), p).select("e.leaf"))),
});

type Entries = ReturnType<typeof bodies>;

const within = (entries: Entries, p: After) =>
  entries
    .where("e.ledger_id", ">", p.after_id)
    .$if(p.to_id !== undefined, (all) => all.where("e.ledger_id", "<=", p.to_id ?? 0))
    .orderBy("e.ledger_id")
    .limit(p.limit);

type Bounded = After & { readonly to_id: number };

const between = (db: Kysely<Tables>, p: Bounded) =>
  db
    .selectFrom("ledger_entry as e")
    .where("e.ledger_id", ">", p.after_id)
    .where("e.ledger_id", "<=", p.to_id)
    .orderBy("e.ledger_id")
    .limit(p.limit);

/** The kinds of the entries of a range, in ledger order. */
export const kindsWithin = prepared((db, p: Bounded) =>
  between(db, p).innerJoin("ledger_kind as k", "k.id", "e.kind").select(["e.ledger_id", "k.kind"]),
);

const ofEvery = ranged<After>((entries) => entries);
const ofOneKind = ranged<After & { readonly kind: string }>((entries, p) =>
  entries.where("e.kind", "=", numberOf(p.kind)).where(NO_POST),
);
/** The index of names would find all there are. */
const IS_POST = sql<boolean>`e.kind + 0 = 1`;
const ofPosts = ranged<Bounded>((entries) => entries.where(IS_POST));

/** In ledger order. */
export const entriesAfter = ofEvery.withBodies;
/** The same with what was hashed. */
export const sealedAfter = ofEvery.whole;
/** The names of the same, without bodies, which need not be unpacked then. */
export const namesAfter = prepared((db, p: { after_id: number; limit: number }) =>
  places(db).where("e.ledger_id", ">", p.after_id).orderBy("e.ledger_id").limit(p.limit),
);

/** In ledger order, of one kind, with or without what was hashed; not of posts. */
export const ofKindAfter = ofOneKind;

/** Posts among the entries of a range, which is read whole: no index has them by kind. */
export const postsWithin = ofPosts;

/** The ids of the same. */
export const postIdsWithin = prepared((db, p: Bounded) =>
  between(db, p).select("e.ledger_id").where(IS_POST),
);

/** The entries between two ids that are of one of the kinds in a JSON list, in ledger order. */
export const entriesOfKinds = withBodies(
  prepared((db, p: { kinds: string; after_id: number; to_id: number }) =>
    bodies(db)
      .where("e.ledger_id", ">", p.after_id)
      .where("e.ledger_id", "<=", p.to_id)
      .where(isOneOf(db, "k.kind", "text", p.kinds))
      .orderBy("e.ledger_id"),
  ),
);

interface Ids {
  readonly ids: string;
}

const withIds = (entries: Entries, db: Kysely<Tables>, { ids }: Ids) =>
  entries.where(isOneOf(db, "e.ledger_id", "bigint", ids)).orderBy("e.ledger_id");

/** The entries of a JSON list of ids, in ledger order. */
export const entriesByIds = withBodies(prepared((db, p: Ids) => withIds(bodies(db), db, p)));
/** The same with what was hashed. */
export const sealedByIds = whole(
  prepared((db, p: Ids) => withIds(bodies(db), db, p).select("e.leaf")),
);

const idsOf = (db: Kysely<Tables>, p: Range) =>
  db
    .selectFrom("ledger_entry as e")
    .select("e.ledger_id")
    .where("e.kind", "=", numberOf(p.kind))
    .where(NO_POST)
    .$if(p.after_id !== undefined, (all) => all.where("e.ledger_id", ">", p.after_id ?? 0))
    .$if(p.before_id !== undefined, (all) => all.where("e.ledger_id", "<", p.before_id ?? 0))
    .limit(p.limit);

/** Oldest first; not of posts. */
export const idsAfter = prepared((db, p: Range) => idsOf(db, p).orderBy("e.ledger_id"));

/** Newest first; not of posts. */
export const idsBefore = prepared((db, p: Range) => idsOf(db, p).orderBy("e.ledger_id", "desc"));

interface Refs {
  readonly kind: string;
  readonly from: string;
  readonly end: string;
}

const placedOfRefs = withBodies(
  prepared((db, p: Refs) =>
    bodies(db)
      .where("e.kind", "=", numberOf(p.kind))
      .where("e.ref", ">=", p.from)
      .where("e.ref", "<", p.end),
  ),
);

const pendingOfRefs = prepared((db, p: Refs) =>
  db
    .selectFrom("ledger_pending")
    .select(["ref", "body"])
    .where("kind", "=", p.kind)
    .where("ref", ">=", p.from)
    .where("ref", "<", p.end),
);

/**
 * The bodies of a kind whose references lie in a range, whether or not they have their places; those that
 * end in a number in its order.
 */
export async function entriesOfRefs(
  read: Db,
  refs: Refs,
): Promise<readonly { readonly body: string }[]> {
  // In this order: what gets its place meanwhile is found there.
  const rows = [...(await pendingOfRefs.all(read, refs)), ...(await placedOfRefs.all(read, refs))];
  const found = [...new Map(rows.map(({ ref, body }) => [ref, { ref, body }])).values()];
  return found.sort((a, b) => a.ref.length - b.ref.length || (a.ref < b.ref ? -1 : 1));
}

const placedNamed = whole(
  prepared((db, p: { kinds: string; from: string; end: string }) =>
    wholes(db)
      .where("e.kind", "in", (of) =>
        of
          .selectFrom("ledger_kind as n")
          .select("n.id")
          .where(isOneOf(db, "n.kind", "text", p.kinds)),
      )
      .where("e.ref", ">=", p.from)
      .where("e.ref", "<", p.end)
      .orderBy("e.ledger_id"),
  ),
);

const pendingNamed = prepared((db, p: { kinds: string; from: string; end: string }) =>
  db
    .selectFrom("ledger_pending")
    .select(["kind", "ref", "body"])
    .where(isOneOf(db, "kind", "text", p.kinds))
    .where("ref", ">=", p.from)
    .where("ref", "<", p.end)
    .orderBy("row_id"),
);

/**
 * The entries of some kinds, a JSON list, that are named by a number or counted under it, oldest first; in one state
 * of the database. Those that have no place yet stand apart.
 */
export async function entriesNamed(
  read: Db,
  { kinds, name }: { readonly kinds: string; readonly name: string },
) {
  const refs = { kinds, from: name, end: `${name}0` }; // 0 is the character after the slash.
  const waiting = await pendingNamed.all(read, refs);
  return { placed: await placedNamed.all(read, refs), waiting };
}

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
  db.selectFrom("ledger_pending").select("row_id").orderBy("row_id").limit(1),
);

/** Every committed entry that has no id yet. */
export const unsequenced = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_pending").select(["kind", "body"]),
);
