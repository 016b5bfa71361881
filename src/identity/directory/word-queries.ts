import { sql } from "kysely";
import { prepared } from "../../db/prepared.ts";
import { isOneOf, textsOf } from "../../db/rows.ts";

/** Of agent 0: the words of all profiles are there. */
export const LEARNED = "";

export const isLearned = prepared((db, _: Record<string, never>) =>
  db.selectFrom("profile_word").select("word").where("word", "=", LEARNED).where("agent", "=", 0),
);

/** Inserts words of an agent, a JSON list, as far as they are new. */
export const insertWords = prepared((db, p: { agent: number; words: string }) =>
  db
    .insertInto("profile_word")
    .columns(["word", "agent"])
    .expression(
      sql`select value, cast(${p.agent} as bigint) from ${textsOf(db, p.words)} as said where true`,
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** Deletes words of an agent, a JSON list. */
export const deleteWords = prepared((db, p: { agent: number; words: string }) =>
  db
    .deleteFrom("profile_word")
    .where("agent", "=", p.agent)
    .where(isOneOf(db, "word", "text", p.words)),
);

/** Profiles in the order of their agents. */
export const profilesAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("profile")
    .select(["agent", "name", "purpose", "capabilities"])
    .where("agent", ">", p.after)
    .orderBy("agent")
    .limit(p.limit),
);
