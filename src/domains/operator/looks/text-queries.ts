import { prepared } from "../../../platform/db/prepared.ts";

/** Those that are hidden now, each with its words; or those that are erased. */
export const removedTexts = prepared((db, p: { erased?: true | undefined; limit: number }) =>
  db
    .selectFrom("text_removal as r")
    .leftJoin("hidden_text as h", (join) =>
      join.onRef("h.kind", "=", "r.kind").onRef("h.ref", "=", "r.ref"),
    )
    .select(["r.kind", "r.ref", "r.hidden_at", "r.erased_at", "h.body"])
    .where("r.erased_at", p.erased === undefined ? "is" : "is not", null)
    .where(p.erased === undefined ? "r.hidden_at" : "r.erased_at", "is not", null)
    .orderBy("r.hidden_at", "desc")
    .orderBy("r.kind")
    .orderBy("r.ref")
    .orderBy("h.field")
    .limit(p.limit),
);
