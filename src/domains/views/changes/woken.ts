import type { Db } from "../../../platform/db/engine.ts";
import { lru } from "../../../platform/kernel/lru.ts";
import { type Head, type Look, lookAt, type Question } from "./ledger-page.ts";

export type Looks = (read: Db, question: Question, before: Head) => Promise<Look>;

/** Entries of one page that woken readers share; most wake-ups bring one. */
const WOKEN_LIMIT = 100;
/** Pages of woken readers that are at hand for the others that an entry wakes. */
const WOKEN_MAX_BYTES = 1_048_576;
/** A page without entries takes some memory, too. */
const LOOK_MIN_BYTES = 512;

/**
 * Pages for readers that an entry has woken. All that had seen the ledger end at the same entry share one page
 * of what came behind it, and each leaves out what it has not asked for. The page serves each reader that had
 * seen the ledger end before its head.
 */
export function wokenLooks(): Looks {
  const known = lru<string, Look>({
    max: WOKEN_MAX_BYTES,
    sizeOf: ({ bound_bytes }) => LOOK_MIN_BYTES + bound_bytes,
  });
  const reading = new Map<string, Promise<Look>>();

  async function read(db: Db, question: Question, name: string): Promise<Look> {
    try {
      const page = await lookAt(db, question);
      known.set(name, page);
      return page;
    } finally {
      reading.delete(name);
    }
  }

  async function newsAfter(db: Db, after_id: number, sealed: Question["sealed"]): Promise<Look> {
    const question = { since: undefined, after_id, kinds: undefined, limit: WOKEN_LIMIT, sealed };
    const name = JSON.stringify(question);
    const page = known.get(name);
    if (page !== undefined && page.head.last_id > after_id) return page;
    const begun = reading.get(name) ?? read(db, question, name);
    reading.set(name, begun);
    return begun;
  }

  return async (db, question, before) =>
    answerTo(question, await newsAfter(db, before.last_id, question.sealed));
}

/** The part of a page that answers a question; a reader goes on behind the last entry that was looked at. */
function answerTo({ since = 0, after_id = 0, kinds, limit }: Question, page: Look): Look {
  const wanted = page.entries.filter(
    ({ id, at, kind }) =>
      id > after_id && at >= since && (kinds === undefined || kinds.includes(kind)),
  );
  const entries = wanted.slice(0, limit);
  const isWhole = entries.length === wanted.length;
  const through_id = page.more ? (page.entries.at(-1)?.id ?? null) : null;
  return {
    ...page,
    entries,
    more: page.more || !isWhole,
    scanned_id: isWhole ? through_id : null,
  };
}
