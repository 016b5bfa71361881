import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { RemovalTables } from "./tables.ts";

interface Thing {
  readonly kind: string;
  readonly ref: string;
}

export const removal = prepared((db, p: Thing) =>
  db
    .selectFrom("text_removal")
    .select(["hidings", "hidden_at", "erased_at"])
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref),
);

/** A row where the texts of an entry are hidden or erased now. */
export const hidden = prepared((db, p: Thing) =>
  db
    .selectFrom("text_removal")
    .select("kind")
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref)
    .where("hidden_at", "is not", null),
);

/** The condition that the texts of an entry are shown, whose `ref` is a number in this column. */
export const isShown = (kind: string, id: string) =>
  sql<boolean>`not exists (select 1 from text_removal where kind = ${sql.lit(kind)} and ref = cast(${sql.ref(id)} as text) and hidden_at is not null)`;

export const insertText = prepared((db, p: RemovalTables["hidden_text"]) =>
  db.insertInto("hidden_text").values(p),
);

export const textsOf = prepared((db, p: Thing) =>
  db
    .selectFrom("hidden_text")
    .select(["field", "body"])
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref),
);

/** One text as it was before it was hidden; none where nothing is, or it was erased. */
export const hiddenText = prepared((db, p: Thing & { field: string }) =>
  db
    .selectFrom("hidden_text")
    .select("body")
    .where("kind", "=", p.kind)
    .where("ref", "=", p.ref)
    .where("field", "=", p.field),
);

/** A hidden text with this body: a name that nobody else gets meanwhile. Few things of one kind are hidden. */
export const hiddenWith = prepared((db, p: { kind: string; body: string }) =>
  db
    .selectFrom("hidden_text")
    .select("ref")
    .where("kind", "=", p.kind)
    .where("body", "=", p.body)
    .limit(1),
);

export const deleteTexts = prepared((db, p: Thing) =>
  db.deleteFrom("hidden_text").where("kind", "=", p.kind).where("ref", "=", p.ref),
);

/** All that were erased, for a list that outlives the database. */
export const erased = prepared((db, _p: object) =>
  db
    .selectFrom("text_removal")
    .select(["kind", "ref"])
    .where("erased_at", "is not", null)
    .orderBy("kind")
    .orderBy("ref"),
);
