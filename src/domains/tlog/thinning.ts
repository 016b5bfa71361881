import type { Context } from "../../platform/context.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import type { Log } from "./log.ts";
import * as sql from "./queries.ts";
import { forgetCosignatures } from "./witness-queries.ts";

/** Cosignatures of so many newest checkpoints are kept, and of the last one of each day before. */
const KEPT = 10_000;
/** Checkpoints that one run looks at. */
const LOOKED_AT = 500;

/** Forgets old cosignatures, a few at each run; a run begins where the last one ended. */
export function cosignatureThinning(kept = KEPT) {
  let from = 0;

  return async (
    { read, write }: Pick<Context, "read" | "write">,
    { origin }: Log,
  ): Promise<void> => {
    const oldestKept = await sql.nthNewestCheckpoint.first(read, { origin, n: kept });
    if (oldestKept === undefined) return;
    const range = { origin, from, to: oldestKept.size, limit: LOOKED_AT };
    const found = await sql.checkpointTimes.all(read, range);
    const forgotten = found.filter(({ at }, i) => {
      const next = found[i + 1];
      return next !== undefined && Math.floor(next.at / DAY_S) === Math.floor(at / DAY_S);
    });
    if (forgotten.length > 0)
      await write(async (tx) => {
        for (const { size } of forgotten) await forgetCosignatures.run(tx, { origin, size });
      });
    from = found.at(-1)?.size ?? from;
  };
}
