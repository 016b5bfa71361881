import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf } from "../../../platform/db/rows.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

interface Declaring {
  readonly capability: string;
  /** Those behind this place. */
  readonly last_seen_at?: Seconds | undefined;
  readonly agent?: number | undefined;
  readonly without?: string | undefined;
  readonly limit: number;
}

/** With '' every published profile; without those that declare another one. The most recently seen first. */
export const declaring = prepared((db, p: Declaring) =>
  db
    .selectFrom("profile_capability as c")
    .select(["c.last_seen_at", "c.agent"])
    .where("c.capability", "=", p.capability)
    .$if(p.without !== undefined, (all) =>
      all.where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("profile_capability as x")
              .select("x.agent")
              .whereRef("x.agent", "=", "c.agent")
              .where("x.capability", "=", p.without ?? ""),
          ),
        ),
      ),
    )
    .$if(p.agent !== undefined, (all) =>
      all.where(sql<boolean>`(c.last_seen_at, c.agent) < (${p.last_seen_at}, ${p.agent})`),
    )
    .orderBy("c.last_seen_at", "desc")
    .orderBy("c.agent", "desc")
    .limit(p.limit),
);

interface Saying {
  readonly word: string;
  readonly before: number;
  readonly limit: number;
}

/** Agents that say a word of themselves, the newest first. */
export const saying = prepared((db, p: Saying) =>
  db
    .selectFrom("profile_word")
    .select("agent")
    .where("word", "=", p.word)
    .where("agent", "<", p.before)
    .orderBy("agent", "desc")
    .limit(p.limit),
);

interface Filtered {
  /** JSON lists. */
  readonly agents: string;
  readonly names: string;
}

/** Which of the agents declare which of the capabilities. */
export const declaredBy = prepared((db, p: Filtered) =>
  db
    .selectFrom("profile_capability")
    .select(["agent", "capability as name"])
    .where(isOneOf(db, "agent", "bigint", p.agents))
    .where(isOneOf(db, "capability", "text", p.names)),
);

/** Which of the agents say which of the words. */
export const saidBy = prepared((db, p: Filtered) =>
  db
    .selectFrom("profile_word")
    .select(["agent", "word as name"])
    .where(isOneOf(db, "word", "text", p.names))
    .where(isOneOf(db, "agent", "bigint", p.agents)),
);
