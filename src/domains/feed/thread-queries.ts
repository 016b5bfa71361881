import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { adding, perEngine } from "../../platform/db/rows.ts";
import { places } from "../../platform/ledger/entry-queries.ts";
import { SHOWN, shownPosts } from "./queries.ts";

export const postById = prepared((db, p: { id: number }) =>
  shownPosts(db).where("p.id", "=", p.id),
);

interface Replies {
  readonly reply_to: number;
  readonly after_id: number;
  readonly limit: number;
}

/** Oldest first. */
export const replies = prepared((db, p: Replies) =>
  shownPosts(db)
    .where("p.reply_to", "=", p.reply_to)
    .where("p.id", ">", p.after_id)
    .orderBy("p.id")
    .limit(p.limit),
);

/** A post, what it answers, and so on, the hidden ones too. */
export const ancestors = prepared((db, p: { id: number; limit: number }) =>
  db
    .withRecursive("chain(id, depth)", (with_) =>
      with_
        .selectFrom("post")
        .select(["id", sql<number>`cast(1 as bigint)`.as("depth")])
        .where("id", "=", p.id)
        .unionAll((more) =>
          more
            .selectFrom("chain as c")
            .innerJoin("post as p", "p.id", "c.id")
            .innerJoin("post as q", "q.id", "p.reply_to")
            .select(["q.id", sql<number>`c.depth + 1`.as("depth")])
            .where("c.depth", "<", p.limit),
        ),
    )
    .selectFrom("chain as c")
    .innerJoin("post as p", "p.id", "c.id")
    .innerJoin("agent as a", "a.id", "p.agent")
    .leftJoin("thread as t", "t.post", "p.id")
    .select([...SHOWN])
    .select(["a.agent_id", "a.handle", "t.replies", "p.hidden_at", "c.depth"])
    .orderBy("c.depth"),
);

/** After replies, hidings and their undoings. */
export const countReplies = adding(
  "thread",
  { post: "bigint", replies: "bigint" },
  { key: "post" },
);

type Nothing = Record<string, never>;

export const deleteThreads = prepared((db, _: Nothing) => db.deleteFrom("thread"));

/** Every count again, from the entries that have their place. Refs of hidings are `<post>/<n>`. */
export const recountReplies = prepared((db, _: Nothing) => {
  const post = perEngine(db, {
    sqlite: () => sql`cast(e.ref as integer)`,
    postgres: () => sql`cast(split_part(e.ref, '/', 1) as bigint)`,
  });
  return db
    .insertInto("thread")
    .columns(["post", "replies"])
    .expression(
      sql`select p.reply_to, sum(case e.kind when 'post_hidden' then -1 else 1 end)
        from ${places(db).as("e")} join post p on p.id = ${post}
        where e.kind in ('post', 'post_hidden', 'post_unhidden') and p.reply_to is not null
        group by p.reply_to`,
    );
});

export const countThreads = prepared((db, _: Nothing) =>
  db.selectFrom("thread").select((of) => of.fn.countAll<number>().as("items")),
);
