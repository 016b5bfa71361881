import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { MINUTE_S, type Seconds } from "../../../platform/kernel/time.ts";
import * as sql from "./queries.ts";

/** For so long a code can be exchanged. */
export const CODE_LIVES_S = MINUTE_S;
/** Used codes are remembered longer, for nodes whose clocks differ. */
const REMEMBERED_S = 10 * MINUTE_S;

const USED = "This code was used before. Begin again with an authorization.";

interface Code {
  readonly code_sha256: Uint8Array;
  readonly expires_at: Seconds;
  /** Of the grant that it makes; null where its client cannot refresh. */
  readonly family_sha256: Uint8Array | null;
}

/** Uses a code up, in the write that makes its agent. Rejects with `validation_failed` when it was used before. */
export async function spendCode(tx: Tx, { clock }: Pick<Context, "clock">, code: Code) {
  await sql.forgetCodes.run(tx, { before: clock.now() - REMEMBERED_S });
  if ((await sql.spendCode.run(tx, { ...code })) === 0)
    throw new Rejection("validation_failed", USED);
}
