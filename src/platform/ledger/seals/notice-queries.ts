import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";

type Nothing = Record<string, never>;

export const signerNotice = prepared((db, _: Nothing) =>
  db.selectFrom("signer_notice").select(["state", "seq", "at"]).where("k", "=", 1),
);

export const tellNotice = prepared((db, p: { state: string; seq: number; at: Seconds }) =>
  db
    .insertInto("signer_notice")
    .values({ k: 1, ...p })
    .onConflict((conflict) => conflict.column("k").doUpdateSet(p)),
);

export const forgetNotice = prepared((db, _: Nothing) =>
  db.deleteFrom("signer_notice").where("k", "=", 1),
);

export const clockAccepted = prepared((db, _: Nothing) =>
  db.selectFrom("clock_accepted").select("at").where("k", "=", 1),
);

export const acceptClock = prepared((db, p: { at: Seconds }) =>
  db
    .insertInto("clock_accepted")
    .values({ k: 1, ...p })
    .onConflict((conflict) => conflict.column("k").doUpdateSet(p)),
);
