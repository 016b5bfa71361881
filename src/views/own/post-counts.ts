import type { Db } from "../../db/engine.ts";
import { lru } from "../../kernel/lru.ts";
import type { Seconds } from "../../kernel/time.ts";
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

/** The posts of an agent up to one that is settled. */
interface Counted {
  readonly posts: number;
  readonly through_id: number;
  readonly at: Seconds;
}

/** Counts the posts of an agent (its row), up to `POSTS_COUNTED_MAX`. */
export type CountPosts = (read: Db, agent: number, now: Seconds) => Promise<number>;

/** Remembers what was counted, so that a call reads only the newest posts, however many there are. */
export function postCounts(): CountPosts {
  const remembered = lru<number, Counted>({ max: AGENTS_MAX, sizeOf: () => 1 });

  return async (read, agent, now) => {
    const known = remembered.get(agent);
    const isGood = known !== undefined && now < known.at + REMEMBERED_S;
    const { posts, through_id: after_id, at } = isGood ? known : { ...NONE, at: now };
    const limit = POSTS_COUNTED_MAX - posts;
    const countTo = async (through_id: number): Promise<number> => {
      const row = await sql.countPosts.first(read, { agent, after_id, through_id, limit });
      return row?.posts ?? 0;
    };

    if (limit === 0) return POSTS_COUNTED_MAX;
    const newer = await countTo(Number.MAX_SAFE_INTEGER);
    if (newer <= FEW) return posts + newer;
    const settled = await sql.newestPostUntil.first(read, { agent, until: now - SETTLED_S });
    const through_id = settled?.id ?? 0;
    if (through_id > after_id)
      remembered.set(agent, { posts: posts + (await countTo(through_id)), through_id, at });
    return posts + newer;
  };
}

const NONE = { posts: 0, through_id: 0 };
