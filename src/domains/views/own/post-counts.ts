import type { Db } from "../../../platform/db/engine.ts";
import { lru } from "../../../platform/kernel/lru.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { POSTS_COUNTED_MAX } from "../rules.ts";
import * as sql from "./queries.ts";

/** Agents whose counts one process remembers. */
const AGENTS_MAX = 10_000;

/** So few are counted faster than they are remembered. */
const FEW = 64;

/** A post gets its id a moment before its write ends; after this long none with a smaller id is to come. */
const SETTLED_S = 60;

/** For so long a count is built on. A write that took longer than `SETTLED_S` is in the next one. */
const REMEMBERED_S = 600;

/**
 * For so long a count of posts that are not settled is built on. On PostgreSQL a write that ended in
 * that time, after one with a greater id, is in the next one.
 */
const RECENT_S = 1;

/** The posts of an agent up to an id. */
interface Counted {
  readonly posts: number;
  readonly through_id: number;
  readonly at: Seconds;
}

/** Up to one that is settled, and up to the newest. */
interface Remembered {
  readonly settled: Counted;
  readonly recent: Counted;
}

/** Counts the posts of an agent (its row), up to `POSTS_COUNTED_MAX`. */
export type CountPosts = (read: Db, agent: number, now: Seconds) => Promise<number>;

/** Remembers what was counted, so that a call reads only the newest posts, however many there are. */
export function postCounts(): CountPosts {
  const remembered = lru<number, Remembered>({ max: AGENTS_MAX, sizeOf: () => 1 });

  return async (read, agent, now) => {
    const countTo = async (from: Counted, through_id: number): Promise<Counted> => {
      const { posts, through_id: after_id } = from;
      const limit = POSTS_COUNTED_MAX - posts;
      const row = await sql.countPosts.first(read, { agent, after_id, through_id, limit });
      return { posts: posts + (row?.posts ?? 0), through_id, at: now };
    };
    const newestUntil = async (until: Seconds): Promise<number> =>
      (await sql.newestPostUntil.first(read, { agent, until }))?.id ?? 0;

    const known = remembered.get(agent);
    const isGood = known !== undefined && now < known.settled.at + REMEMBERED_S;
    const settled = isGood ? known.settled : { posts: 0, through_id: 0, at: now };
    const from = isGood && now < known.recent.at + RECENT_S ? known.recent : settled;
    if (from.posts === POSTS_COUNTED_MAX) return POSTS_COUNTED_MAX;
    const recent = await countTo(from, await newestUntil(Number.MAX_SAFE_INTEGER));
    if (recent.posts - from.posts <= FEW) return recent.posts;
    const through_id = await newestUntil(now - SETTLED_S);
    const next = through_id > settled.through_id ? await countTo(settled, through_id) : settled;
    remembered.set(agent, { settled: { ...next, at: settled.at }, recent });
    return recent.posts;
  };
}
