import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { ClockRecord } from "./steady-clock.ts";

export const recordOfBoot = prepared((db, p: { boot: string }) =>
  db
    .selectFrom("clock_boot")
    .select(["offset_ms", "room_s", "room_at_s"])
    .where("boot", "=", p.boot),
);

type Stored = ClockRecord & { readonly boot: string; readonly stored_at: Seconds };

export const storeRecord = prepared((db, { boot, ...set }: Stored) =>
  db
    .insertInto("clock_boot")
    .values({ boot, ...set })
    .onConflict((conflict) => conflict.column("boot").doUpdateSet(set)),
);

/** Those of boots that no node has stored for so long. */
export const forgetBoots = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("clock_boot").where("stored_at", "<", p.before),
);
