import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf } from "../../../platform/db/rows.ts";

/** Marks a capability whose words are all there. */
export const KNOWN = "";

export const isKnown = prepared((db, p: { capability: string }) =>
  db
    .selectFrom("capability_word")
    .select("word")
    .where("word", "=", KNOWN)
    .where("capability", "=", p.capability),
);

export const insertWord = prepared((db, p: { word: string; capability: string }) =>
  db
    .insertInto("capability_word")
    .values(p)
    .onConflict((conflict) => conflict.doNothing()),
);

interface Asked {
  /** The word that is looked for first. */
  readonly word: string;
  /** The others, as a JSON list, and how many they are. */
  readonly others: string;
  readonly count: number;
  readonly examined: number;
  readonly limit: number;
}

/** Capabilities with all of the words, those that most agents declare first. */
export const withWords = prepared((db, p: Asked) =>
  db
    .selectFrom(
      db
        .selectFrom("capability_word")
        .select("capability")
        .where("word", "=", p.word)
        .orderBy("capability")
        .limit(p.examined)
        .as("w"),
    )
    .leftJoin("capability_count as n", "n.capability", "w.capability")
    .select("w.capability")
    .where(
      ({ selectFrom }) =>
        selectFrom("capability_word as o")
          .select((of) => of.fn.countAll<number>().as("n"))
          .whereRef("o.capability", "=", "w.capability")
          .where(isOneOf(db, "o.word", "text", p.others)),
      "=",
      p.count,
    )
    .orderBy(sql`coalesce(n.agents, 0)`, "desc")
    .orderBy("w.capability")
    .limit(p.limit),
);

interface Near {
  readonly from: string;
  /** Behind all words with this beginning. */
  readonly to: string;
  readonly examined: number;
  readonly limit: number;
}

/** Declared capabilities with a word that begins so, those of most agents first. */
export const withBeginning = prepared((db, p: Near) =>
  db
    .selectFrom(
      db
        .selectFrom("capability_word")
        .select("capability")
        .where("word", ">=", p.from)
        .where("word", "<", p.to)
        .orderBy("word")
        .limit(p.examined)
        .as("w"),
    )
    .innerJoin("capability_count as n", "n.capability", "w.capability")
    .select(["n.capability", "n.agents"])
    .distinct()
    .where("n.agents", ">", 0)
    .orderBy("n.agents", "desc")
    .orderBy("n.capability")
    .limit(p.limit),
);

/** A capability that nobody declares any more. */
export const forgetCount = prepared((db, p: { capability: string }) =>
  db.deleteFrom("capability_count").where("capability", "=", p.capability).where("agents", "<=", 0),
);

/** The words of one that is neither counted nor offered. */
export const forgetWords = prepared((db, p: { capability: string }) =>
  db
    .deleteFrom("capability_word")
    .where("capability", "=", p.capability)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("capability_count").select("agents").where("capability", "=", p.capability),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("market_offer").select("id").where("capability_folded", "=", p.capability),
        ),
      ),
    ),
);
