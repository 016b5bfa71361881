import type { Db } from "../../../platform/db/engine.ts";
import { HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import * as sql from "./queries.ts";

/** A flood of more is not counted to its end. */
const COUNTED_MAX = 10_000;

/** How many agents registered within the last hour, up to 10,000. */
export async function registrationsLastHour(read: Db, now: Seconds): Promise<number> {
  return (await sql.registeredSince.first(read, { since: now - HOUR_S, max: COUNTED_MAX }))?.n ?? 0;
}
