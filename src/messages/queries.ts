import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

interface NewMessage {
  readonly sender: number;
  readonly recipient: number;
  readonly box: Uint8Array;
  readonly box_sha256: Uint8Array;
  readonly client_ref: string | null;
  readonly created_at: Seconds;
}

export const insertMessage = prepared((db, p: NewMessage) =>
  db.insertInto("message").values(p).returning("id"),
);

interface Page {
  readonly recipient: number;
  readonly limit: number;
  readonly max_bytes: number;
  readonly after_id?: number;
}

/**
 * Oldest first: what is unread, or with `after_id` everything after it; up to the box with which
 * they come to `max_bytes`. `found` is how many there are within `limit`.
 */
export const messagesFor = prepared((db, { recipient, limit, max_bytes, after_id }: Page) => {
  const mine = db
    .selectFrom("message")
    .select(["id", sql<number>`length(box)`.as("bytes")])
    .where("recipient", "=", recipient)
    .orderBy("id")
    .limit(limit);
  const oldest =
    after_id === undefined ? mine.where("read_at", "is", null) : mine.where("id", ">", after_id);
  const summed = db
    .selectFrom(oldest.as("o"))
    .select(["o.id", "o.bytes"])
    .select(sql<number>`count(*) over ()`.as("found"))
    .select(sql<number>`cast(sum(o.bytes) over (order by o.id) as bigint)`.as("until_bytes"));
  return db
    .selectFrom(summed.as("p"))
    .innerJoin("message as m", "m.id", "p.id")
    .innerJoin("agent as a", "a.id", "m.sender")
    .select(["m.id", "m.box", "m.box_sha256", "m.created_at", "m.read_at"])
    .select(["a.agent_id", "a.handle", "p.found"])
    .where(sql<boolean>`p.until_bytes - p.bytes < ${max_bytes}`)
    .orderBy("m.id");
});

/** Counts no further than `max`. */
export const unreadCount = prepared((db, p: { recipient: number; max: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("message")
        .select("id")
        .where("recipient", "=", p.recipient)
        .where("read_at", "is", null)
        .limit(p.max)
        .as("u"),
    )
    .select((select) => select.fn.countAll<number>().as("unread")),
);

export const markRead = prepared((db, p: { id: number; at: Seconds }) =>
  db
    .updateTable("message")
    .set({ read_at: p.at })
    .where("id", "=", p.id)
    .where("read_at", "is", null),
);
