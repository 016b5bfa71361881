import type { Db } from "../../../platform/db/engine.ts";
import { cutInSteps } from "../../../platform/kernel/contract/page.ts";
import {
  entriesAfter,
  entriesByIds,
  firstIdAt,
  idsAfter,
  ofKindAfter,
  postIdsWithin,
  postsWithin,
  sealedAfter,
  sealedByIds,
} from "../../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../../platform/ledger/queries.ts";
import { type Entry, type PlacedEntry, show } from "./shown-entries.ts";

/** The only kind that no index lists. */
const POST = "post";
/** Entries that one request looks through for posts. */
export const SCANNED_MAX = 16_384;

/** What to read: `since` and `after_id` both hold when both are given. */
export interface Question {
  readonly since: number | undefined;
  readonly after_id: number | undefined;
  readonly kinds: readonly string[] | undefined;
  readonly limit: number;
  readonly sealed: true | undefined;
}

/** Entries, and the last id among which they were looked for. */
interface Found {
  readonly entries: readonly PlacedEntry[];
  readonly through_id: number;
}

/** The entries up to `last_id` that answer a question, one more than its limit when there are more. */
async function entriesFor(read: Db, question: Question, last_id: number): Promise<Found> {
  const after_id = await startOf(read, question);
  if (after_id === null) return { entries: [], through_id: last_id };
  const { kinds } = question;
  const form = question.sealed === undefined ? "withBodies" : "whole";
  const limit = question.limit + 1;
  if (kinds === undefined) {
    const ask = question.sealed === undefined ? entriesAfter : sealedAfter;
    const entries = await ask.all(read, { after_id, to_id: last_id, limit });
    return { entries, through_id: last_id };
  }
  // No index has posts, so a range of the ledger is read for them; a later entry of another kind would
  // hide an earlier one of them, so of those no more is read.
  const through_id = kinds.includes(POST) ? Math.min(last_id, after_id + SCANNED_MAX) : last_id;
  const range = { after_id, to_id: through_id, limit };
  const [kind = POST] = kinds;
  if (kinds.length > 1) return { entries: await ofKinds(read, question, range), through_id };
  const entries =
    kind === POST
      ? await postsWithin[form].all(read, range)
      : await ofKindAfter[form].all(read, { ...range, kind });
  return { entries, through_id };
}

/** Each of many kinds may have as many entries as are asked for, so only those of the answer are read whole. */
async function ofKinds(
  read: Db,
  { kinds = [], sealed }: Question,
  { after_id, to_id, limit }: Readonly<Record<"after_id" | "to_id" | "limit", number>>,
): Promise<readonly PlacedEntry[]> {
  const found = await Promise.all(
    kinds.map((kind) =>
      kind === POST
        ? postIdsWithin.all(read, { after_id, to_id, limit })
        : idsAfter.all(read, { kind, after_id, before_id: to_id + 1, limit }),
    ),
  );
  const all = found.flat().map(({ ledger_id }) => ledger_id);
  const ids = JSON.stringify(all.sort((a, b) => a - b).slice(0, limit));
  return (sealed === undefined ? entriesByIds : sealedByIds).all(read, { ids });
}

/** The id after which to read; null when nothing is as late as `since`. */
async function startOf(read: Db, { since, after_id = 0 }: Question): Promise<number | null> {
  if (since === undefined) return after_id;
  const first = await firstIdAt.first(read, { since });
  return first === undefined ? null : Math.max(after_id, first.ledger_id - 1);
}

export interface Head {
  readonly last_id: number;
  readonly last_at: number;
}

/**
 * A page for a question. `head` was the last entry before the page was read: a reader that continues
 * after its id, or in its second, misses nothing.
 */
export interface Look {
  readonly head: Head;
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /** Where reading goes on, when it ended before the head without filling the page. */
  readonly scanned_id: number | null;
  readonly bound_bytes: number;
}

export async function lookAt(read: Db, question: Question): Promise<Look> {
  const head = (await ledgerHead.first(read, {})) ?? { last_id: 0, last_at: 0 };
  const { entries: found, through_id } = await entriesFor(read, question, head.last_id);
  let [shown, bound_bytes] = [0, 0];
  const { items: entries, more } = await cutInSteps<Entry>(question.limit, async (count) => {
    const step = await show(read, found.slice(shown, shown + count));
    shown += step.items.length;
    bound_bytes += step.bound_bytes;
    return step;
  });
  const scanned_id = !more && through_id < head.last_id ? through_id : null;
  return { head, entries, more: more || scanned_id !== null, scanned_id, bound_bytes };
}
