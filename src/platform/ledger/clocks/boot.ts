import type { Context } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { days } from "../../kernel/time.ts";
import * as sql from "./boot-queries.ts";
import type { ClockRecord, SteadyClock } from "./steady-clock.ts";

/** A boot of a machine that no service has run on for so long is forgotten. */
const KEPT_S = days(400);

/** What a clock may differ by before it is stored again: its rate is corrected by seconds a day. */
const APART_MAX_MS = 2_000;

export const recordOf = async (read: Db, boot: string): Promise<ClockRecord | null> =>
  (await sql.recordOfBoot.first(read, { boot })) ?? null;

/** Stores what the clock shows on this boot, as often as it has changed. */
export function clockRecorder(boot: string, steady: SteadyClock) {
  let stored: ClockRecord | null = null;
  return async ({ write, clock }: Pick<Context, "write" | "clock">): Promise<void> => {
    const record = steady.record();
    const isKnown =
      stored !== null &&
      Math.abs(record.offset_ms - stored.offset_ms) < APART_MAX_MS &&
      record.room_s === stored.room_s;
    if (isKnown) return;
    const stored_at = clock.now();
    await write(async (tx) => {
      await sql.storeRecord.run(tx, { boot, ...record, stored_at });
      await sql.forgetBoots.run(tx, { before: stored_at - KEPT_S });
    });
    stored = record;
  };
}
