import type { Kysely } from "kysely";
import { prepared } from "../../db/prepared.ts";
import type { Tables } from "../../db/tables.ts";

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom("announcement")
    .select([
      "id",
      "at",
      "kind",
      "title",
      "body",
      "signed_message",
      "signature",
      "rewards_per_hour",
      "rate_limit_per_minute",
    ]);

/** Newest first. */
export const announcements = prepared((db, p: { before_id: number; limit: number }) =>
  shown(db).where("id", "<", p.before_id).orderBy("id", "desc").limit(p.limit),
);

export const announcementById = prepared((db, p: { id: number }) =>
  shown(db).where("id", "=", p.id),
);

export const lastAnnouncement = prepared((db, _: Record<string, never>) =>
  db.selectFrom("announcement").select("id").orderBy("id", "desc").limit(1),
);

/** The number of rewards an hour that was announced last. */
export const announcedPace = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("announcement")
    .select("rewards_per_hour")
    .where("rewards_per_hour", "is not", null)
    .orderBy("id", "desc")
    .limit(1),
);

/** The rate limit that was announced last. */
export const announcedRateLimit = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("announcement")
    .select("rate_limit_per_minute")
    .where("rate_limit_per_minute", "is not", null)
    .orderBy("id", "desc")
    .limit(1),
);
