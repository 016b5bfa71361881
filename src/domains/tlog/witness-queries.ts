import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

interface NewCosignature {
  readonly origin: string;
  readonly size: number;
  readonly witness: string;
  readonly key_id: string;
  readonly line: string;
  readonly time: Seconds;
}

/** The first word of a witness on a checkpoint is kept. */
export const keepCosignature = prepared((db, p: NewCosignature) =>
  db
    .insertInto("log_cosignature")
    .values(p)
    .onConflict((conflict) =>
      conflict.columns(["origin", "size", "witness", "key_id"]).doNothing(),
    ),
);

export const cosignaturesOf = prepared((db, p: { origin: string; size: number }) =>
  db
    .selectFrom("log_cosignature")
    .select(["witness", "key_id", "line", "time"])
    .where("origin", "=", p.origin)
    .where("size", "=", p.size)
    .orderBy("time")
    .orderBy("witness"),
);

/** Checkpoints that some witness has cosigned, the largest first. */
export const cosignedSizes = prepared((db, p: { origin: string; limit: number }) =>
  db
    .selectFrom("log_cosignature")
    .select("size")
    .distinct()
    .where("origin", "=", p.origin)
    .orderBy("size", "desc")
    .limit(p.limit),
);

export interface WitnessState {
  readonly origin: string;
  /** What the policy calls it. */
  readonly witness: string;
  /** The size that it has cosigned last; 0 while it has none. */
  readonly size: number;
  readonly last_time: Seconds | null;
  /** In a row. */
  readonly failures: number;
  readonly last_error: string | null;
  /** It is not asked before. */
  readonly next_at: Seconds;
}

export const witnessStates = prepared((db, p: { origin: string }) =>
  db.selectFrom("witness_state").selectAll().where("origin", "=", p.origin).orderBy("witness"),
);

export const keepState = prepared((db, p: WitnessState) =>
  db
    .insertInto("witness_state")
    .values(p)
    .onConflict((conflict) =>
      conflict.columns(["origin", "witness"]).doUpdateSet({
        size: p.size,
        last_time: p.last_time,
        failures: p.failures,
        last_error: p.last_error,
        next_at: p.next_at,
      }),
    ),
);

export const unpublish = prepared((db, _: Record<string, never>) =>
  db.deleteFrom("log_published").where("k", "=", 1),
);

export const cosignaturesBetween = prepared((db, p: { origin: string; from: number; to: number }) =>
  db
    .selectFrom("log_cosignature")
    .select(["size", "witness", "key_id", "line", "time"])
    .where("origin", "=", p.origin)
    .where("size", ">=", p.from)
    .where("size", "<=", p.to)
    .orderBy("size")
    .orderBy("time")
    .orderBy("witness"),
);

/** The first checkpoint beyond a size. */
export const waitingSince = prepared((db, p: { origin: string; size: number }) =>
  db
    .selectFrom("log_checkpoint")
    .select("at")
    .where("origin", "=", p.origin)
    .where("size", ">", p.size)
    .orderBy("size")
    .limit(1),
);

export const forgetCosignatures = prepared((db, p: { origin: string; size: number }) =>
  db.deleteFrom("log_cosignature").where("origin", "=", p.origin).where("size", "=", p.size),
);
