import type { Context } from "../context.ts";
import { HOUR_S } from "../kernel/time.ts";
import * as sql from "./registration-queries.ts";

/** A flood of more is not counted to its end. */
const COUNTED_MAX = 10_000;

/** How many agents registered within the last hour, up to 10,000. */
export async function registrationsLastHour({
  read,
  clock,
}: Pick<Context, "read" | "clock">): Promise<number> {
  const since = clock.now() - HOUR_S;
  return (await sql.registeredSince.first(read, { since, max: COUNTED_MAX }))?.n ?? 0;
}
