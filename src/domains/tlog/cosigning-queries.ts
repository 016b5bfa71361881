import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

/** A log that is known keeps its key and its tree. */
export const addWitnessed = prepared(
  (db, p: { origin: string; origin_sha256: string; vkey: string }) =>
    db
      .insertInto("witnessed_log")
      .values({ ...p, size: 0, root: null, note: null, at: null })
      .onConflict((conflict) => conflict.column("origin").doNothing()),
);

export const witnessedLog = prepared((db, p: { origin: string }) =>
  db.selectFrom("witnessed_log").selectAll().where("origin", "=", p.origin),
);

export const noteByHash = prepared((db, p: { origin_sha256: string }) =>
  db.selectFrom("witnessed_log").select("note").where("origin_sha256", "=", p.origin_sha256),
);

export const witnessedLogs = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("witnessed_log")
    .select(["origin", "vkey", "size", "note", "at"])
    .orderBy("origin")
    .limit(p.limit),
);

interface Cosigned {
  readonly origin: string;
  readonly old_size: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  readonly at: Seconds;
}

/** Compare-and-swap: changes no row when another request has brought the log further meanwhile. */
export const advanceWitnessed = prepared((db, p: Cosigned) =>
  db
    .updateTable("witnessed_log")
    .set({ size: p.size, root: p.root, note: p.note, at: p.at })
    .where("origin", "=", p.origin)
    .where("size", "=", p.old_size)
    .where((is) =>
      is.or([is("size", "<>", p.size), is("root", "is", null), is("root", "=", p.root)]),
    ),
);

export const witnessIdentity = prepared((db, _: Record<string, never>) =>
  db.selectFrom("witness_identity").select(["name", "pubkey"]).where("k", "=", 1),
);

export const keepIdentity = prepared((db, p: { name: string; pubkey: string }) =>
  db
    .insertInto("witness_identity")
    .values({ k: 1, ...p })
    .onConflict((conflict) => conflict.column("k").doNothing()),
);
