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

/** Oldest first: what is unread, or with `after_id` everything after it. */
export const messagesFor = prepared(
  (db, p: { recipient: number; limit: number; after_id?: number }) => {
    const oldest = db
      .selectFrom("message as m")
      .innerJoin("agent as a", "a.id", "m.sender")
      .select([
        "m.id",
        "m.box",
        "m.box_sha256",
        "m.created_at",
        "m.read_at",
        "a.agent_id",
        "a.handle",
      ])
      .where("m.recipient", "=", p.recipient)
      .orderBy("m.id")
      .limit(p.limit);
    return p.after_id === undefined
      ? oldest.where("m.read_at", "is", null)
      : oldest.where("m.id", ">", p.after_id);
  },
);

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
