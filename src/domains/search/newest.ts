import type { Db } from "../../platform/db/engine.ts";
import type { SearchKind } from "../../platform/kernel/contract/entry-kind.ts";
import { blockIdsOf, kindWord, markedWords } from "./marked-words.ts";
import * as sql from "./queries.ts";

/** Ids that one call looks through for one word: each block takes one look. */
export const IDS_MAX = 2_097_152;

/** The same for several: where two common words never meet, each id that has one takes a step. */
export const IDS_MAX_JOINED = 262_144;

export interface Question {
  /** All of them must occur. */
  readonly words: readonly string[];
  /** None: of any kind. */
  readonly kinds: readonly SearchKind[];
  readonly before_id: number;
  readonly limit: number;
}

interface Found {
  /** Ledger ids, newest first. */
  readonly ids: readonly number[];
  /** Everything from this id on was looked at; 1 at the end. */
  readonly from_id: number;
}

/**
 * The newest things that have all the words, a block of ids after the other. One call looks through a
 * bounded number of ids, however common the words are.
 */
export async function newestWith(
  read: Db,
  { words, kinds, before_id, limit }: Question,
): Promise<Found> {
  const ids: number[] = [];
  const size = blockIdsOf(read);
  const isJoined = words.length > 1 || kinds.length > 0;
  const from_id = Math.max(1, before_id - (isJoined ? IDS_MAX_JOINED : IDS_MAX));
  const last = Math.floor(from_id / size);
  for (let block = Math.floor(Math.max(0, before_id - 1) / size); block >= last; block--) {
    const all = markedWords(block, words);
    const any = markedWords(block, kinds.map(kindWord));
    const found = await sql.newestInBlock.all(read, {
      match: matchOf(all, any),
      all,
      any: any === "" ? undefined : any,
      before_id,
      from_id,
      limit: limit - ids.length,
    });
    for (const { ledger_id } of found) ids.push(ledger_id);
    if (ids.length === limit) return { ids, from_id: ids.at(-1) ?? 1 };
  }
  return { ids, from_id };
}

/** A question in the language of SQLite's full-text tables. Words have no quotation marks. */
function matchOf(all: string, any: string): string {
  const words = quoted(all).join(" AND ");
  return any === "" ? words : `(${quoted(any).join(" OR ")}) AND ${words}`;
}

const quoted = (words: string): readonly string[] => words.split(" ").map((word) => `"${word}"`);
