import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";

/** Changes no row when the code was used before. */
export const spendCode = prepared((db, p: { code_sha256: Uint8Array; expires_at: Seconds }) =>
  db
    .insertInto("authorization_code")
    .values(p)
    .onConflict((conflict) => conflict.doNothing()),
);

export const forgetCodes = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("authorization_code").where("expires_at", "<", p.before),
);
