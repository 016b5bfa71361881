import { sql } from "kysely";
import { prepared, preparedWrite } from "../../platform/db/prepared.ts";
import { changing, isOneOf, type Lists, listed, perEngine } from "../../platform/db/rows.ts";
import { named } from "../../platform/ledger/entry-queries.ts";

type Nothing = Record<string, never>;

/** What a search asks of one block of ids. */
interface Match {
  /** The question in the language of SQLite's full-text tables. */
  readonly match: string;
  /** The same for PostgreSQL: the words that must all occur, with spaces between them. */
  readonly all: string;
  /** One of these must occur too, where any is asked for. */
  readonly any?: string | undefined;
  readonly before_id: number;
  readonly from_id: number;
  readonly limit: number;
}

/** The hashes of words in a text with spaces between them. */
const hashesIn = (words: unknown) =>
  sql`array(select hashtextextended(word, 0) from unnest(string_to_array(${words}::text, ' ')) word)`;

/** Newest rows that PostgreSQL looks through one by one before it asks the index of words. */
const WALKED = 500;

/**
 * SQLite's index of words is quick in the order of its rows alone, so the newest entry has the smallest
 * row: this number less its ledger id.
 */
const ROWS_END = sql.lit(2 ** 35);

/** The row of a ledger id in SQLite. A number that is no INTEGER would be compared with each row in turn. */
const rowOf = (ledger_id: unknown) => sql<number>`${ROWS_END} - cast(${ledger_id} as integer)`;

/**
 * The newest ids in a block. PostgreSQL finds a common word among its newest rows; for a rare one it
 * must not walk the key, so the second condition on it is one that no index serves.
 */
export const newestInBlock = prepared((db, p: Match) => {
  const matches = perEngine(db, {
    sqlite: () => sql<{ ledger_id: number }>`(
      select ${ROWS_END} - rowid as ledger_id from search_item
      where search_item match ${p.match} and rowid > ${rowOf(p.before_id)} and rowid <= ${rowOf(p.from_id)}
      order by rowid limit ${p.limit} + 0)`,
    postgres: () => {
      const hasAll = sql`words @> ${hashesIn(p.all)}`;
      const hasWords =
        p.any === undefined ? hasAll : sql`${hasAll} and words && ${hashesIn(p.any)}`;
      return sql<{ ledger_id: number }>`(
        with newest as (
          select rowid from (
            select rowid, words from search_item where rowid < ${p.before_id} and rowid >= ${p.from_id}
            order by rowid desc limit ${sql.lit(WALKED)}) walked
          where ${hasWords})
        select rowid as ledger_id from newest
        union select rowid from search_item
        where (select count(*) from newest) < ${p.limit} and rowid + 0 < ${p.before_id} and rowid + 0 >= ${p.from_id} and ${hasWords})`;
    },
  });
  return db
    .selectFrom(matches.as("found"))
    .select("ledger_id")
    .orderBy("ledger_id", "desc")
    .limit(p.limit);
});

export const progress = prepared((db, _: Nothing) =>
  db.selectFrom("search_progress").select("through_id").where("k", "=", 1),
);

export const deleteProgress = prepared((db, _: Nothing) =>
  db.deleteFrom("search_progress").where("k", "=", 1),
);

export const insertProgress = prepared((db, p: { k: 1; through_id: number }) =>
  db.insertInto("search_progress").values(p),
);

const ROW = { rowid: "bigint", words: "text" } as const;

const insertItem = prepared((db, p: { rowid: number; words: string }) =>
  db.insertInto("search_item").values({ rowid: rowOf(p.rowid), words: p.words }),
);

const insertListed = prepared((db, lists: Lists<typeof ROW>) =>
  db
    .insertInto("search_item")
    .columns(["rowid", "words"])
    .expression(
      sql`select rowid, ${hashesIn(sql`words`)} from ${listed(ROW, lists)} as item (rowid, words)`,
    ),
);

/** By ledger id, the newest first; words with spaces between them. */
export const insertItems = changing(ROW, insertItem, insertListed);

/**
 * Deletes the items of a JSON list of ids. After a deletion SQLite's last row id is one of the full-text
 * table's own, beyond 2^53, so neither deletion is counted, and an insert must follow it.
 */
export const deleteItems = prepared((db, p: { ids: string }) =>
  db.deleteFrom("search_item").where(
    perEngine(db, {
      sqlite: () => sql<boolean>`rowid in (select ${rowOf(sql`value`)} from json_each(${p.ids}))`,
      postgres: () => isOneOf(db, "rowid", "bigint", p.ids),
    }),
  ),
);

/** Forgets everything, for an index that is made again. */
export const deleteAll = prepared((db, _: Nothing) => db.deleteFrom("search_item"));

/** Things that are indexed. */
export const countIndexed = prepared((db, _: Nothing) =>
  db.selectFrom("search_item").select((of) => of.fn.countAll<number>().as("items")),
);

/** The entry by which an agent came, and what is public of the agent now. */
export const agentItem = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom(named(db, "agent").as("e"))
    .innerJoin("agent as a", "a.agent_id", "e.ref")
    .leftJoin("profile as p", "p.agent", "a.id")
    .select(["e.ledger_id", "a.handle", "p.name", "p.purpose", "p.capabilities"])
    .where("e.ref", "=", p.agent_id),
);

/** Puts the words of all parts of the index into one, without those of rows that went. */
export const mergeWords = preparedWrite((db, _p: Nothing) =>
  perEngine(db, {
    sqlite: () => sql`insert into search_item (search_item) values ('optimize')`,
    postgres: () => sql`select 1`,
  }),
);
