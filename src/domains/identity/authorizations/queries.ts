import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

interface SpentCode {
  readonly code_sha256: Uint8Array;
  readonly expires_at: Seconds;
  readonly family_sha256: Uint8Array | null;
}

/** Changes no row when the code was used before. */
export const spendCode = prepared((db, p: SpentCode) =>
  db
    .insertInto("authorization_code")
    .values({
      code_sha256: p.code_sha256,
      expires_at: p.expires_at,
      family_sha256: p.family_sha256,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

export const forgetCodes = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("authorization_code").where("expires_at", "<", p.before),
);
