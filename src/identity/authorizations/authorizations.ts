import type { Context } from "../../context.ts";
import type { Tx, WriteKind } from "../../db/engine.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { MINUTE_S, type Seconds } from "../../kernel/time.ts";
import * as sql from "./queries.ts";

/** For so long a code can be exchanged. */
export const CODE_LIVES_S = MINUTE_S;
/** Used codes are remembered longer, for nodes whose clocks differ. */
const REMEMBERED_S = 10 * MINUTE_S;

const USED = "This code was used before. Begin again with an authorization.";

interface Code {
  readonly code_sha256: Uint8Array;
  readonly expires_at: Seconds;
}

/**
 * The same writes, which use a code up: the write happens with it, or neither does. Rejects with
 * `validation_failed` when the code was used before.
 */
export const spending =
  ({ write, clock }: Pick<Context, "write" | "clock">, code: Code): Context["write"] =>
  <T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind) =>
    write(async (tx) => {
      await sql.forgetCodes.run(tx, { before: clock.now() - REMEMBERED_S });
      if ((await sql.spendCode.run(tx, { ...code })) === 0)
        throw new Rejection("validation_failed", USED);
      return body(tx);
    }, kind);
