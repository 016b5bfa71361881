import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

type Nothing = Record<string, never>;

export const ledgerHead = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_head").select(["last_id", "last_at", "rules"]).where("k", "=", 1),
);

export const sealHead = prepared((db, _: Nothing) =>
  db.selectFrom("seal_head").selectAll().where("k", "=", 1),
);

/** Holds every other sealer and signer back until this write ends. */
export const lockSealHead = prepared((db, _: Nothing) =>
  db.selectFrom("seal_head").selectAll().where("k", "=", 1).forUpdate(),
);

interface SealHeadMove {
  readonly old_seq: number;
  readonly last_seq: number;
  readonly last_to_id: number;
  readonly last_at: Seconds;
  readonly last_root: Uint8Array;
  readonly last_seal_hash: Uint8Array;
  readonly frontier: Uint8Array;
}

/** Compare-and-swap: changes no row when another node has sealed meanwhile. */
export const moveSealHead = prepared((db, p: SealHeadMove) =>
  db
    .updateTable("seal_head")
    .set({
      last_seq: p.last_seq,
      last_to_id: p.last_to_id,
      last_at: p.last_at,
      last_root: p.last_root,
      last_seal_hash: p.last_seal_hash,
      frontier: p.frontier,
    })
    .where("k", "=", 1)
    .where("last_seq", "=", p.old_seq),
);

interface NewSeal {
  readonly seq: number;
  readonly at: Seconds;
  readonly count: number;
  readonly from_id: number;
  readonly to_id: number;
  readonly root: Uint8Array;
  readonly prev_root: Uint8Array | null;
  readonly prev_seal: Uint8Array | null;
  readonly log_root: Uint8Array;
  readonly origin: string;
  readonly seal_hash: Uint8Array;
}

export const insertSeal = prepared((db, p: NewSeal) => db.insertInto("seal").values(p));

export const insertTree = prepared((db, p: { seq: number; levels: Uint8Array }) =>
  db.insertInto("seal_tree").values(p),
);

export const treeBySeq = prepared((db, p: { seq: number }) =>
  db.selectFrom("seal_tree").select("levels").where("seq", "=", p.seq),
);

/** Fills the three columns of a signature where they are empty. */
export const signSeal = prepared(
  (db, p: { seq: number; signed_at: Seconds; pubkey: string; signature: string }) =>
    db
      .updateTable("seal")
      .set({ signed_at: p.signed_at, pubkey: p.pubkey, signature: p.signature })
      .where("seq", "=", p.seq)
      .where("signature", "is", null),
);

export const recordAudit = prepared(
  (
    db,
    p: { verified_through_seq: number; verified_at: Seconds; first_broken_seq: number | null },
  ) => db.updateTable("seal_head").set(p).where("k", "=", 1),
);

export const markBroken = prepared((db, p: { first_broken_seq: number }) =>
  db.updateTable("seal_head").set(p).where("k", "=", 1).where("first_broken_seq", "is", null),
);

export const sealBySeq = prepared((db, p: { seq: number }) =>
  db.selectFrom("seal").selectAll().where("seq", "=", p.seq),
);

/** The seal that covers an entry, if it has one. */
export const sealOfEntry = prepared((db, p: { ledger_id: number }) =>
  db.selectFrom("seal").selectAll().where("to_id", ">=", p.ledger_id).orderBy("to_id").limit(1),
);

export const sealsAfter = prepared((db, p: { after_seq: number; limit: number }) =>
  db.selectFrom("seal").selectAll().where("seq", ">", p.after_seq).orderBy("seq").limit(p.limit),
);

/** Newest first. */
export const sealsBefore = prepared((db, p: { before_seq: number; limit: number }) =>
  db
    .selectFrom("seal")
    .selectAll()
    .where("seq", "<", p.before_seq)
    .orderBy("seq", "desc")
    .limit(p.limit),
);

/** Newest first. */
export const unsignedSeqs = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("seal")
    .select("seq")
    .where("signature", "is", null)
    .orderBy("seq", "desc")
    .limit(p.limit),
);

export const countUnsigned = prepared((db, _: Nothing) =>
  db
    .selectFrom("seal")
    .select((select) => select.fn.countAll<number>().as("seals"))
    .where("signature", "is", null),
);

export const firstUnsigned = prepared((db, p: { after_seq: number }) =>
  db
    .selectFrom("seal")
    .selectAll()
    .where("signature", "is", null)
    .where("seq", ">", p.after_seq)
    .orderBy("seq")
    .limit(1),
);

export const anySigned = prepared((db, _: Nothing) =>
  db.selectFrom("seal").select("seq").where("signature", "is not", null).limit(1),
);

/** The newest signature that is stored. */
export const lastSigned = prepared((db, _: Nothing) =>
  db
    .selectFrom("seal")
    .selectAll()
    .where("signature", "is not", null)
    .orderBy("seq", "desc")
    .limit(1),
);
