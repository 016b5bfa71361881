import { prepared } from "../../platform/db/prepared.ts";

type Nothing = Record<string, never>;

export const boxFloor = prepared((db, _: Nothing) =>
  db.selectFrom("message_floor").select("first_id"),
);

export const lastBox = prepared((db, _: Nothing) =>
  db.selectFrom("message").select("id").orderBy("id", "desc").limit(1),
);

export const raiseFloor = prepared((db, { first_id }: { first_id: number }) =>
  db
    .insertInto("message_floor")
    .values({ one: 1, first_id })
    .onConflict((conflict) => conflict.column("one").doUpdateSet({ first_id })),
);

/** PostgreSQL counts on from the floor by itself; SQLite takes the largest number and one more. */
export const renumber = prepared((db, p: { id: number; first_id: number }) =>
  db.updateTable("message").set({ id: p.first_id }).where("id", "=", p.id),
);
