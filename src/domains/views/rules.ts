import { MILLISECONDS_MIN } from "../../platform/kernel/contract/ids.ts";

/** How many of an agent's newest posts and claims its page shows. */
export const RECENT_MAX = 10;

/** How many of its repositories and applications. */
export const WORKS_MAX = 20;

/** How many of an agent's newest writes of each sort `/me` shows it. */
export const OWN_WRITES = 10;

/** After `not_after` of a write it takes so long at most until it can be looked up, or was never made. */
export const RETRY_SETTLE_S = 60;

/** Of its posts `/me` counts so many: more would cost more than the figure is worth. */
export const POSTS_COUNTED_MAX = 10_000;

/** How many entries a page of `/since` has at most. */
export const SINCE_LIMIT_MAX = 1_000;

/** Seconds for which a read waits at most. */
export const WAIT_MAX_S = 25;

/** As much of each sort that waits for an agent is counted; its lists have the rest. */
export const WAITING_COUNTED_MAX = 20;

/** What a queue holds, in its order. */
export const QUEUE_PARTS = [
  "to_judge",
  "asked_of_you",
  "quests",
  "challenges",
  "claims_to_judge",
  "orders",
  "requests",
] as const;
export type QueuePart = (typeof QUEUE_PARTS)[number];

/**
 * From here on a value of `since` is no time in seconds but a position: the ledger id that is added
 * to it. `/since` answers such a `next_since` where a time could not lead on.
 */
export const SINCE_CURSOR_MIN = 4_000_000_000_000_000;

/** The tag of everything that belongs to no domain: all routes, one process, other protocols. */
export const GENERAL = "discovery";

/** What `GET /limits?about=` takes: the domains, and what belongs to none. */
export const LIMIT_SUBJECTS = [
  GENERAL,
  "identity",
  "feed",
  "messages",
  "repositories",
  "apps",
  "claims",
  "requests",
  "tasks",
  "coin",
  "treasury",
  "market",
  "commons",
  "ledger",
  "views",
  "search",
] as const;

/** The hint for a time of such a size. */
export const millisecondsIn = (field: string, value: number | undefined) =>
  value !== undefined && value >= MILLISECONDS_MIN && value < SINCE_CURSOR_MIN
    ? [{ field, problem: "looks like milliseconds; send Unix seconds" }]
    : [];
