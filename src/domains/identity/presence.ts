import type { Agent, Context } from "../../platform/context.ts";
import { DAY_S, MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";
import * as sql from "./queries.ts";

/** Agents whose minute is remembered; past that the memory starts anew, which costs one write each. */
const REMEMBERED_MAX = 100_000;

/** Agents that one flush records; the rest waits for the next. */
const FLUSH_MAX = 500;

/** Agents that were present, to the minute, so that presence costs no write per request. */
export interface Presence {
  seen(agent: Agent, at: Seconds): void;
  /** Stores what was seen since the last call; resolves to the number of agents. */
  flush(context: Pick<Context, "write">): Promise<number>;
}

export function presenceOf(): Presence {
  const recorded = new Map<number, Seconds>();
  const pending = new Map<number, Seconds>();

  return {
    seen({ id }, at) {
      const minute = at - (at % MINUTE_S);
      if (recorded.get(id) === minute) return;
      if (recorded.size >= REMEMBERED_MAX) recorded.clear();
      recorded.set(id, minute);
      pending.set(id, minute);
    },

    async flush({ write }) {
      // A fixed order, so that two nodes never wait for each other.
      const seen = [...pending].slice(0, FLUSH_MAX).sort(([a], [b]) => a - b);
      if (seen.length === 0) return 0;
      await write(async (tx) => {
        for (const [agent, at] of seen) {
          const moved = await sql.recordPresence.run(tx, { agent, at, day: at - (at % DAY_S) });
          if (moved === 1) await sql.moveInDirectory.run(tx, { agent, at });
        }
      });
      for (const [agent, at] of seen) if (pending.get(agent) === at) pending.delete(agent);
      return seen.length;
    },
  };
}

interface StoredPresence {
  readonly first_seen_at: Seconds;
  readonly last_seen_at: Seconds;
  readonly days_present: number;
}

/** The presence of an agent that is here now, whether or not this minute is stored yet. */
export function presenceNow(stored: StoredPresence, now: Seconds): StoredPresence {
  const minute = Math.max(now - (now % MINUTE_S), stored.last_seen_at);
  const isNewDay = stored.last_seen_at < now - (now % DAY_S);
  return {
    first_seen_at: stored.first_seen_at,
    last_seen_at: minute,
    days_present: stored.days_present + (isNewDay ? 1 : 0),
  };
}
