import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";

const COUNTS = [
  "claims_made",
  "received_true",
  "received_false",
  "received_void",
  "given_true",
  "given_false",
  "given_void",
] as const;

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export const addToRecord = prepared((db, p: Counts & { readonly agent: number }) =>
  db
    .insertInto("resolution_record")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .column("agent")
        .doUpdateSet((set) =>
          Object.fromEntries(
            COUNTS.map((count) => [
              count,
              sql`${sql.ref(`resolution_record.${count}`)} + ${set.ref(`excluded.${count}`)}`,
            ]),
          ),
        ),
    ),
);

export const authorOf = prepared((db, p: { id: number }) =>
  db.selectFrom("claim").select("agent").where("id", "=", p.id),
);

/** The author of a verdict, and of the claim. */
export const partiesOf = prepared((db, p: { id: number }) =>
  db
    .selectFrom("verdict as v")
    .innerJoin("claim as c", "c.id", "v.claim")
    .select(["v.agent as judge", "c.agent as author", "c.kind"])
    .where("v.id", "=", p.id),
);

export const recordOf = prepared((db, p: { agent: number }) =>
  db.selectFrom("resolution_record").select(COUNTS).where("agent", "=", p.agent),
);
