import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf, textsOf } from "../../../platform/db/rows.ts";

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
