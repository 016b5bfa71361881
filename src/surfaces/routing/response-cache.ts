import { hash } from "node:crypto";
import type { HeaderList } from "../wire/answer.ts";

/** How many addresses of one generation are known, and how large their kept answers may be together. */
export const ANSWERS_MAX = 4_096;
export const ANSWERS_MAX_BYTES = 8 * 1024 * 1024;

/** A longer address is nobody's habit, and remembering many would take more memory than answers do. */
const ADDRESS_LENGTH_MAX = 512;

/** A public answer, ready to be written as often as it is asked for. */
export interface CachedAnswer {
  readonly status: 200 | 302;
  /** Strong, so it stays the same as long as the body does. */
  readonly etag: string;
  /** A text is written together with the head, bytes are written often without being encoded. */
  readonly body: Buffer | string;
  readonly head: HeaderList;
  /** Of the 304 to somebody who has this body. */
  readonly headUnchanged: HeaderList;
}

/** `shared` goes with 200 and 304 alike; `type` is the media type of the body. */
export function encode(body: Buffer | string, shared: HeaderList, type: HeaderList): CachedAnswer {
  // Processors have instructions for it: an answer that is asked for once pays for its tag, too.
  const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`;
  const headUnchanged = [...shared, "ETag", etag];
  return { status: 200, etag, body, head: [...headUnchanged, ...type], headUnchanged };
}

/** The same answer in the form that is worth keeping. */
export const encoded = (finished: CachedAnswer): CachedAnswer & { readonly body: Buffer } => ({
  ...finished,
  body: typeof finished.body === "string" ? bytesOf(finished.body) : finished.body,
});

/** In memory of their own: in the pool that short buffers share they would keep their neighbours alive. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Whether an `If-None-Match` field names this tag; weak and strong compare alike (RFC 9110, 13.1.2). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Finished answers by target, for one generation of the data. */
export interface PublicCache {
  find(url: string): CachedAnswer | Promise<CachedAnswer> | undefined;
  /**
   * Shares the work with callers that ask for the same meanwhile. A rejection is not kept. A
   * timeless answer holds as long as the data does, any other until the second is over.
   */
  set(url: string, work: Promise<CachedAnswer>, isTimeless?: boolean): Promise<CachedAnswer>;
}

/** What public answers depend on. Both are asked for each read, so they must be quick. */
export interface Now {
  /** Changes whenever a public answer may change because data have. */
  readonly generation: () => number;
  /** The time that answers show. */
  readonly second: () => number;
}

interface Entry {
  /** The only one in which it holds; null when that does not matter. */
  readonly second: number | null;
  answer: CachedAnswer | Promise<CachedAnswer>;
  bytes: number;
}

/**
 * Public reads depend on the data and perhaps the time alone, so a change of `generation` drops all
 * of them: there is nothing to invalidate and no list of what depends on what. The generation is
 * taken in `find`, before the data is read, so no answer is older than its key.
 *
 * An answer is kept once its address has been asked for twice, now or in an earlier generation.
 * Most addresses are asked for once, and keeping those would only move memory about.
 */
export function publicCache({ generation, second }: Now): PublicCache {
  let current = Number.NaN;
  let size_bytes = 0;
  let entries = new Map<string, Entry>();
  let asked = new Set<string>();
  const renew = () => {
    entries = new Map();
    size_bytes = 0;
  };

  /** Whether this is the second time, of late, that somebody wants the answer. */
  function isWanted(url: string): boolean {
    if (asked.has(url)) return true;
    if (url.length > ADDRESS_LENGTH_MAX) return false;
    if (asked.size >= ANSWERS_MAX) asked = new Set();
    asked.add(url);
    return false;
  }

  function drop(url: string): void {
    size_bytes -= entries.get(url)?.bytes ?? 0;
    entries.delete(url);
  }

  return {
    find(url) {
      const now = generation();
      if (now !== current) {
        current = now;
        renew();
      }
      const entry = entries.get(url);
      if (entry === undefined || entry.second === null || entry.second === second())
        return entry?.answer;
      drop(url);
      return;
    },
    set(url, work, isTimeless = false) {
      const wanted = isWanted(url);
      if (entries.size >= ANSWERS_MAX || size_bytes > ANSWERS_MAX_BYTES) renew();
      const mine: Entry = { second: isTimeless ? null : second(), answer: work, bytes: 0 };
      entries.set(url, mine);
      const isStillMine = () => entries.get(url) === mine;
      work.then(
        (finished) => {
          if (!isStillMine()) return;
          if (!wanted) return drop(url);
          const kept = encoded(finished);
          mine.answer = kept;
          mine.bytes = kept.body.length;
          size_bytes += mine.bytes;
        },
        () => isStillMine() && drop(url),
      );
      return work;
    },
  };
}
