import { prepared } from "../../platform/db/prepared.ts";
import { inserting } from "../../platform/db/rows.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

type Nothing = Record<string, never>;

export const progress = prepared((db, _: Nothing) =>
  db.selectFrom("log_progress").select(["seq", "size", "frontier"]).where("k", "=", 1),
);

/** Compare-and-swap: changes no row when another process was first. */
export const moveProgress = prepared(
  (db, p: { old_seq: number; seq: number; size: number; frontier: Uint8Array }) =>
    db
      .updateTable("log_progress")
      .set({ seq: p.seq, size: p.size, frontier: p.frontier })
      .where("k", "=", 1)
      .where("seq", "=", p.old_seq),
);

export const insertNodes = inserting("log_node", { level: "bigint", n: "bigint", hash: "bytea" });

export const nodes = prepared((db, p: { level: number; from: number; to: number }) =>
  db
    .selectFrom("log_node")
    .select("hash")
    .where("level", "=", p.level)
    .where("n", ">=", p.from)
    .where("n", "<", p.to)
    .orderBy("n"),
);

/** The newest seal that is signed, checked and covered by the nodes. */
export const newestSignable = prepared((db, p: { seq_max: number; size_max: number }) =>
  db
    .selectFrom("seal")
    .select(["seq", "to_id", "log_root"])
    .where("signature", "is not", null)
    .where("seq", "<=", p.seq_max)
    .where("to_id", "<=", p.size_max)
    .orderBy("seq", "desc")
    .limit(1),
);

/** The seal that ends with this entry. */
export const sealEndingAt = prepared((db, p: { to_id: number }) =>
  db.selectFrom("seal").select(["seq", "to_id", "log_root"]).where("to_id", "=", p.to_id),
);

interface NewCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly seq: number;
  readonly root: Uint8Array;
  readonly note: string;
  readonly at: Seconds;
}

export const insertCheckpoint = prepared((db, p: NewCheckpoint) =>
  db
    .insertInto("log_checkpoint")
    .values(p)
    .onConflict((conflict) => conflict.columns(["origin", "size"]).doNothing()),
);

export const newestCheckpoint = prepared((db, p: { origin: string }) =>
  db
    .selectFrom("log_checkpoint")
    .selectAll()
    .where("origin", "=", p.origin)
    .orderBy("size", "desc")
    .limit(1),
);

export const checkpointAt = prepared((db, p: { origin: string; size: number }) =>
  db
    .selectFrom("log_checkpoint")
    .selectAll()
    .where("origin", "=", p.origin)
    .where("size", "=", p.size),
);

export const published = prepared((db, _: Nothing) =>
  db.selectFrom("log_published").select(["origin", "size"]).where("k", "=", 1),
);

export const publish = prepared((db, p: { k: 1; origin: string; size: number }) =>
  db
    .insertInto("log_published")
    .values(p)
    .onConflict((conflict) => conflict.column("k").doUpdateSet({ origin: p.origin, size: p.size })),
);

/** The checkpoints of these sizes, smallest first. */
export const checkpointsBetween = prepared((db, p: { origin: string; from: number; to: number }) =>
  db
    .selectFrom("log_checkpoint")
    .select(["size", "note"])
    .where("origin", "=", p.origin)
    .where("size", ">=", p.from)
    .where("size", "<=", p.to)
    .orderBy("size"),
);

/** The oldest of the `n` newest checkpoints; none while there are fewer. */
export const nthNewestCheckpoint = prepared((db, p: { origin: string; n: number }) =>
  db
    .selectFrom("log_checkpoint")
    .select("size")
    .where("origin", "=", p.origin)
    .orderBy("size", "desc")
    .limit(1)
    .offset(p.n),
);

/** When checkpoints were made, smallest first. */
export const checkpointTimes = prepared(
  (db, p: { origin: string; from: number; to: number; limit: number }) =>
    db
      .selectFrom("log_checkpoint")
      .select(["size", "at"])
      .where("origin", "=", p.origin)
      .where("size", ">=", p.from)
      .where("size", "<=", p.to)
      .orderBy("size")
      .limit(p.limit),
);
