import type { Alarm } from "../../kernel/alarms.ts";
import type { Seconds } from "../../kernel/time.ts";

/** A node whose clock is further away from the database's does not sequence. */
export const CLOCKS_APART_MAX_S = 30;

const REFRESH_INTERVAL_MS = 5_000;

/** The clock that all nodes share: the database server's. */
export interface DatabaseClock {
  now(): Seconds;
  /** False while this node's own clock says something else, which is a reason to trust neither. */
  agrees(): boolean;
  stop(): void;
}

interface Options {
  /** Resolves to the server's time, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  readonly systemNow: () => Seconds;
  /** Milliseconds that pass, from any beginning, whatever is done to the system's clock. */
  readonly steady_ms: () => number;
  readonly alarm: Alarm;
}

/**
 * Asks the server now and then, and counts on from its answer. The answer is older than its
 * arrival, so the clock is never ahead of the server's.
 */
export async function databaseClock(options: Options): Promise<DatabaseClock> {
  const { ask, systemNow, steady_ms, alarm } = options;
  let offset_ms = 0;
  let shown = 0;
  let agrees = true;

  async function refresh(): Promise<void> {
    offset_ms = (await ask()) - steady_ms();
    const apart_s = Math.abs(now() - systemNow());
    const agreed = agrees;
    agrees = apart_s <= CLOCKS_APART_MAX_S;
    if (agreed && !agrees) alarm("clocks_apart", { apart_s });
  }

  /** A refresh may take back a few milliseconds, but not a second that was shown because of them. */
  function now(): Seconds {
    const second = Math.floor((steady_ms() + offset_ms) / 1000);
    if (second !== shown - 1) shown = second;
    return shown;
  }

  await refresh();
  // Without an answer the clock runs on; that the database is away is reported elsewhere.
  const timer = setInterval(() => refresh().catch(() => {}), REFRESH_INTERVAL_MS);
  return { now, agrees: () => agrees, stop: () => clearInterval(timer) };
}
