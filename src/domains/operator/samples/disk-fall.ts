import type { Db } from "../../../platform/db/engine.ts";
import { DAY_S, HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import * as sql from "./sample-queries.ts";
import { figuresIn, SHORTEST_STEP_S } from "./samples.ts";

/**
 * How fast the free space of the disk falls, in bytes a second: the greater pace of the last hour and of the last
 * day; 0 where it does not fall, and with less than an hour of samples.
 */
export async function diskFallPerSecond(
  read: Db,
  { now, free_bytes }: { readonly now: Seconds; readonly free_bytes: number },
): Promise<number> {
  const paces = await Promise.all(
    [HOUR_S, DAY_S].map(async (span_s) => {
      const before = { step_s: SHORTEST_STEP_S, at: now - span_s };
      const sample = await sql.sampleUpTo.first(read, before);
      const was = sample && figuresIn(sample)["disk_free_bytes"];
      return sample === undefined || was === undefined
        ? []
        : [(was - free_bytes) / (now - sample.at)];
    }),
  );
  return Math.max(0, ...paces.flat());
}
