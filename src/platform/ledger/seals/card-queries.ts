import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";

export const cardSignature = prepared((db, p: { card_sha256: string }) =>
  db
    .selectFrom("card_signature")
    .select(["pubkey", "signatures"])
    .where("card_sha256", "=", p.card_sha256),
);

interface Signed {
  readonly card_sha256: string;
  readonly pubkey: string;
  readonly signatures: string;
  readonly signed_at: Seconds;
}

export const keepCard = prepared((db, p: Signed) =>
  db
    .insertInto("card_signature")
    .values(p)
    .onConflict((conflict) => conflict.column("card_sha256").doUpdateSet(p)),
);

export const forgetCards = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("card_signature").where("signed_at", "<", p.before),
);
