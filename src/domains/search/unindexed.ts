import type { Db } from "../../platform/db/engine.ts";
import { namesAfter } from "../../platform/ledger/entry-queries.ts";
import { changesOf } from "./indexing.ts";
import { blockIdsOf, kindWord, markedWords } from "./marked-words.ts";
import type { Question } from "./newest.ts";

/** Entries that are not indexed yet and that one search looks through, for 20 µs each. */
export const UNINDEXED_MAX = 200;

/** What the index does not have yet. */
interface Unindexed {
  /** Things that have all the words, by ledger id, newest first. */
  readonly ids: readonly number[];
  /** Things of which the index has words that are not theirs any more. */
  readonly gone: ReadonlySet<number>;
  /** The last entry that was looked through. */
  readonly through_id: number;
}

/**
 * Looks through the entries after the end of the index, so that a search finds a thing as soon as its entry has
 * its place. Where more than `UNINDEXED_MAX` wait, the newest would not be among them, and none is looked at.
 */
export async function unindexedWith(
  read: Db,
  after_id: number,
  question: Omit<Question, "limit">,
): Promise<Unindexed> {
  const size = blockIdsOf(read);
  const rows = await namesAfter.all(read, { after_id, limit: UNINDEXED_MAX + 1 });
  const found = new Map<number, string>();
  const gone = new Set<number>();
  let through_id = after_id;
  for (let rest = rows.length > UNINDEXED_MAX ? [] : rows; rest.length > 0; ) {
    const changes = await changesOf(read, rest);
    for (const ledger_id of changes.gone) {
      gone.add(ledger_id);
      found.delete(ledger_id);
    }
    for (const { rowid, words } of changes.items) found.set(rowid, words);
    through_id = changes.through_id;
    rest = rest.filter(({ ledger_id }) => ledger_id > through_id);
  }
  const ids = [...found].flatMap(([ledger_id, words]) =>
    ledger_id < question.before_id && hasAll(words.split(" "), ledger_id, size, question)
      ? ledger_id
      : [],
  );
  return { ids: ids.sort((a, b) => b - a), gone, through_id };
}

/** Whether words as they are indexed answer a question. */
function hasAll(
  indexed: readonly string[],
  ledger_id: number,
  size: number,
  { words, kinds }: Pick<Question, "words" | "kinds">,
): boolean {
  const own = new Set(indexed);
  const block = Math.floor(ledger_id / size);
  const isKind =
    kinds.length === 0 || kinds.some((kind) => own.has(markedWords(block, [kindWord(kind)])));
  return isKind && words.every((word) => own.has(markedWords(block, [word])));
}
