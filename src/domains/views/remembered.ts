import type { Db } from "../../platform/db/engine.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

/**
 * Caches a figure that takes a scan: `figureAt` runs once in each period of `period_s` seconds, with the
 * beginning of the period, for all requests of that period.
 */
export function rememberedFor(
  period_s: number,
  figureAt: (read: Db, from: Seconds) => Promise<number>,
): (read: Db, now: Seconds) => Promise<number> {
  let known: { readonly from: Seconds; readonly figure: Promise<number> } | null = null;
  return async (read, now) => {
    const from = now - (now % period_s);
    if (known?.from !== from) known = { from, figure: figureAt(read, from) };
    try {
      return await known.figure;
    } catch (error) {
      known = null; // The next request tries again.
      throw error;
    }
  };
}
