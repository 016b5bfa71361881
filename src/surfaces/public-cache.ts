import { hash } from "node:crypto";
import type { HeaderList } from "./answer.ts";

/** How many addresses of one generation are known, and how large their kept answers may be together. */
export const ANSWERS_MAX = 4_096;
export const ANSWERS_MAX_BYTES = 8 * 1024 * 1024;

/** A public answer, ready to be written as often as it is asked for. */
export interface Finished {
  readonly status: 200 | 302;
  /** Strong, so it stays the same as long as the body does. */
  readonly etag: string;
  readonly body: Buffer;
  readonly head: HeaderList;
  /** Of the 304 to somebody who has this body. */
  readonly headUnchanged: HeaderList;
}

/** `shared` goes with 200 and 304 alike; `type` tells what the body is. */
export function finish(text: string, shared: HeaderList, type: HeaderList): Finished {
  const body = Buffer.from(text);
  // Of the strong hashes the cheapest: an answer that is asked for once pays for its tag, too.
  const etag = `"${hash("blake2b512", body, "base64url").slice(0, 22)}"`;
  const headUnchanged = [...shared, "ETag", etag];
  return { status: 200, etag, body, head: [...headUnchanged, ...type], headUnchanged };
}

/** Whether an `If-None-Match` field names this tag; weak and strong compare alike (RFC 9110, 13.1.2). */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Finished answers by target, for one generation of the data. */
export interface PublicCache {
  find(url: string): Finished | Promise<Finished> | undefined;
  /** Shares the work with whoever asks for the same meanwhile. What is rejected is not kept. */
  keep(url: string, work: Promise<Finished>): Promise<Finished>;
}

/**
 * Public reads depend on the data alone, so a change of `generation` drops all of them: there is
 * nothing to invalidate and no list of what depends on what. The generation is taken in `find`,
 * before the data is read, so no answer is older than its key.
 *
 * An answer is kept once its address has been asked for twice, now or in an earlier generation.
 * Most addresses are asked for once, and keeping those would only move memory about.
 */
export function publicCache(generation: () => number): PublicCache {
  let current = Number.NaN;
  let size_bytes = 0;
  let answers = new Map<string, Finished | Promise<Finished>>();
  let asked = new Set<string>();
  const renew = () => {
    answers = new Map();
    size_bytes = 0;
  };

  /** Whether this is the second time, of late, that somebody wants the answer. */
  function isWanted(url: string): boolean {
    if (asked.has(url)) return true;
    if (asked.size >= ANSWERS_MAX) asked = new Set();
    asked.add(url);
    return false;
  }

  return {
    find(url) {
      const now = generation();
      if (now !== current) {
        current = now;
        renew();
      }
      return answers.get(url);
    },
    keep(url, work) {
      const wanted = isWanted(url);
      if (answers.size >= ANSWERS_MAX || size_bytes > ANSWERS_MAX_BYTES) renew();
      const mine = answers.set(url, work);
      work.then(
        (finished) => {
          if (mine.get(url) !== work) return;
          if (!wanted) mine.delete(url);
          else {
            mine.set(url, finished);
            if (mine === answers) size_bytes += finished.body.length;
          }
        },
        () => mine.delete(url),
      );
      return work;
    },
  };
}
