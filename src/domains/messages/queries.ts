import { sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { BLOCKS_MAX, SENDER_UNREAD_BOXES_MAX, SENDER_UNREAD_MAX_BYTES } from "./rules.ts";

interface NewMessage {
  readonly sender: number;
  readonly recipient: number;
  readonly box: Uint8Array;
  readonly box_sha256: Uint8Array;
  readonly client_ref: string | null;
  readonly created_at: Seconds;
}

export const insertMessage = insertNumbered("message", (p: NewMessage) => p);

interface Page {
  readonly recipient: number;
  readonly limit: number;
  readonly max_bytes: number;
  readonly sender?: number;
  readonly after_id?: number;
  readonly unread_after_id?: number;
}

/**
 * Oldest first: what is unread (after `unread_after_id`), or with `after_id` everything after it, of one sender when given; up
 * to the box with which they come to `max_bytes`. `found` is how many there are within `limit`.
 */
export const messagesFor = prepared((db, { recipient, limit, max_bytes, ...p }: Page) => {
  const { sender, after_id, unread_after_id } = p;
  const mine = db
    .selectFrom("message")
    .select(["id", sql<number>`length(box)`.as("bytes")])
    .where("recipient", "=", recipient)
    .orderBy("id")
    .limit(limit);
  const unread = mine.where("read_at", "is", null);
  const unreadLater =
    unread_after_id === undefined ? unread : unread.where("id", ">", unread_after_id);
  const oldest = after_id === undefined ? unreadLater : mine.where("id", ">", after_id);
  // Unread boxes are bounded, and the messages of two agents are not: `+ 0` keeps the engines
  // off the index by pair, which would walk all of it for what is unread.
  const by = after_id === undefined ? sql<number>`sender + 0` : sql<number>`sender`;
  const chosen = sender === undefined ? oldest : oldest.where(by, "=", sender);
  const summed = db
    .selectFrom(chosen.as("o"))
    .select(["o.id", "o.bytes"])
    .select(sql<number>`count(*) over ()`.as("found"))
    .select(sql<number>`cast(sum(o.bytes) over (order by o.id) as bigint)`.as("until_bytes"));
  return db
    .selectFrom(summed.as("p"))
    .innerJoin("message as m", "m.id", "p.id")
    .innerJoin("agent as a", "a.id", "m.sender")
    .select(["m.id", "m.sender", "m.box", "m.box_sha256", "m.created_at", "m.read_at"])
    .select(["a.agent_id", "a.handle", "p.found"])
    .where(sql<boolean>`p.until_bytes - p.bytes < ${max_bytes}`)
    .orderBy("m.id");
});

/** Counts no further than `max`. */
export const unreadCount = prepared(
  (db, p: { recipient: number; max: number; sender?: number }) => {
    const mine = db
      .selectFrom("message")
      .select("id")
      .where("recipient", "=", p.recipient)
      .where("read_at", "is", null)
      .limit(p.max);
    const chosen =
      p.sender === undefined ? mine : mine.where(sql<number>`sender + 0`, "=", p.sender);
    return db
      .selectFrom(chosen.as("u"))
      .select((select) => select.fn.countAll<number>().as("unread"));
  },
);

export const markRead = prepared((db, p: { id: number; at: Seconds }) =>
  db
    .updateTable("message")
    .set({ read_at: p.at })
    .where("id", "=", p.id)
    .where("read_at", "is", null),
);

interface Pair {
  readonly recipient: number;
  readonly sender: number;
}

/** How two agents stand: a block, what waits, and a message of the recipient to the sender. */
export const pairOf = prepared((db, { recipient, sender }: Pair) =>
  db
    .selectFrom("agent as a")
    .leftJoin("dm_block as b", (join) =>
      join.onRef("b.recipient", "=", "a.id").on("b.sender", "=", sender),
    )
    .leftJoin("dm_unread as u", (join) =>
      join.onRef("u.recipient", "=", "a.id").on("u.sender", "=", sender),
    )
    .select(["b.id as block_id", "u.boxes", "u.bytes"])
    .select((select) =>
      select
        .selectFrom("message")
        .select("id")
        .where("recipient", "=", sender)
        .where("sender", "=", recipient)
        .limit(1)
        .as("written_id"),
    )
    .where("a.id", "=", recipient),
);

/** Counts one more unread box. Changes no row when the sender's bounds are reached. */
export const countBox = prepared((db, p: Pair & { bytes: number }) =>
  db
    .insertInto("dm_unread")
    .values({ ...p, boxes: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(["recipient", "sender"])
        .doUpdateSet((set) => ({
          boxes: sql`dm_unread.boxes + 1`,
          bytes: sql`dm_unread.bytes + ${set.ref("excluded.bytes")}`,
        }))
        .where("dm_unread.boxes", "<", SENDER_UNREAD_BOXES_MAX)
        .where(sql<number>`dm_unread.bytes + excluded.bytes`, "<=", SENDER_UNREAD_MAX_BYTES),
    ),
);

/** The same where only a sender of whom nothing waits may leave one. */
export const countFirstBox = prepared((db, p: Pair & { bytes: number }) =>
  db
    .insertInto("dm_unread")
    .values({ ...p, boxes: 1 })
    .onConflict((conflict) => conflict.columns(["recipient", "sender"]).doNothing()),
);

interface Marked extends Pair {
  readonly boxes: number;
  readonly bytes: number;
}

/** Changes no row when these are all that waits. */
export const uncountSome = prepared((db, p: Marked) =>
  db
    .updateTable("dm_unread")
    .set({ boxes: sql`boxes - ${p.boxes}`, bytes: sql`bytes - ${p.bytes}` })
    .where("recipient", "=", p.recipient)
    .where("sender", "=", p.sender)
    .where("boxes", ">", p.boxes),
);

export const uncountAll = prepared((db, p: Pair) =>
  db.deleteFrom("dm_unread").where("recipient", "=", p.recipient).where("sender", "=", p.sender),
);

/**
 * Unread boxes from the strangers of an agent: senders that it has never written to. Each has at least
 * one box, so `limit` of them are enough to know that a bound of as many boxes is reached.
 */
export const strangersUnread = prepared((db, p: { recipient: number; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("dm_unread as u")
        .select(["u.boxes", "u.bytes"])
        .where("u.recipient", "=", p.recipient)
        .whereRef("u.sender", "<>", "u.recipient")
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("message as m")
                .select("m.id")
                .whereRef("m.recipient", "=", "u.sender")
                .whereRef("m.sender", "=", "u.recipient"),
            ),
          ),
        )
        .limit(p.limit)
        .as("s"),
    )
    .select((select) => select.fn.countAll<number>().as("senders"))
    .select(sql<number>`cast(coalesce(sum(s.boxes), 0) as bigint)`.as("boxes"))
    .select(sql<number>`cast(coalesce(sum(s.bytes), 0) as bigint)`.as("bytes")),
);

/** Changes no row when it is there already, or the recipient's blocks are used up. */
export const insertBlock = prepared((db, p: Pair & { created_at: Seconds }) =>
  db
    .insertInto("dm_block")
    .columns(["recipient", "sender", "created_at"])
    .expression(
      db
        .selectNoFrom([
          sql<number>`cast(${p.recipient} as bigint)`.as("recipient"),
          sql<number>`cast(${p.sender} as bigint)`.as("sender"),
          sql<number>`cast(${p.created_at} as bigint)`.as("created_at"),
        ])
        .where(
          db
            .selectFrom("dm_block")
            .select((select) => select.fn.countAll<number>().as("n"))
            .where("recipient", "=", p.recipient),
          "<",
          BLOCKS_MAX,
        ),
    )
    .onConflict((conflict) => conflict.columns(["recipient", "sender"]).doNothing()),
);

export const blockOf = prepared((db, p: Pair) =>
  db
    .selectFrom("dm_block")
    .select("id")
    .where("recipient", "=", p.recipient)
    .where("sender", "=", p.sender),
);

export const deleteBlock = prepared((db, p: Pair) =>
  db.deleteFrom("dm_block").where("recipient", "=", p.recipient).where("sender", "=", p.sender),
);

/** Newest first. */
export const blocksOf = prepared(
  (db, p: { recipient: number; limit: number; before_id?: number | undefined }) => {
    const mine = db
      .selectFrom("dm_block as b")
      .innerJoin("agent as a", "a.id", "b.sender")
      .select(["b.id", "a.agent_id", "a.handle", "b.created_at"])
      .where("b.recipient", "=", p.recipient)
      .orderBy("b.id", "desc")
      .limit(p.limit);
    return p.before_id === undefined ? mine : mine.where("b.id", "<", p.before_id);
  },
);
