import type * as z from "zod";
import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { cutInSteps } from "../kernel/contract/page.ts";
import { lru } from "../kernel/lru.ts";
import { DAY_S, type Seconds } from "../kernel/time.ts";
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
} from "../ledger/entry-queries.ts";
import { ledgerHead } from "../ledger/queries.ts";
import { demandPosition, epochAfter, type Restores } from "../ledger/seals/restores.ts";
import type { views } from "./contract.ts";
import { SINCE_CURSOR_MIN } from "./rules.ts";
import { type Entry, type PlacedEntry, show } from "./shown-entries.ts";

/** The only kind that no index lists. */
const POST = "post";
/** Entries that one request looks through for posts. */
export const SCANNED_MAX = 16_384;

/** What to read: `since` and `after_id` both hold when both are given. */
interface Question {
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

interface Head {
  readonly last_id: number;
  readonly last_at: number;
}

/**
 * A page for a question. `head` was the last entry before the page was read: a reader that continues
 * after its id, or in its second, misses nothing.
 */
interface Look {
  readonly head: Head;
  readonly entries: readonly Entry[];
  readonly more: boolean;
  /** Where reading goes on, when it ended before the head without filling the page. */
  readonly scanned_id: number | null;
  readonly bound_bytes: number;
}

async function lookAt(read: Db, question: Question): Promise<Look> {
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

type Looks = (read: Db, question: Question, before: Head) => Promise<Look>;

/** Pages of woken readers that are at hand for the others that an entry wakes. */
const WOKEN_MAX_BYTES = 1_048_576;
/** A page without entries takes some memory, too. */
const LOOK_MIN_BYTES = 512;

/**
 * Pages for readers that an entry has woken: most ask the same question, which is then read once.
 * A page serves each reader that had seen the ledger end before its head.
 */
function wokenLooks(): Looks {
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

  return async (db, question, before) => {
    const name = JSON.stringify(question);
    const page = known.get(name);
    if (page !== undefined && page.head.last_id > before.last_id) return page;
    const begun = reading.get(name) ?? read(db, question, name);
    reading.set(name, begun);
    return begun;
  };
}

/** Waits until there is a page with entries, or more to read, or `wait_s` seconds have passed. */
async function waitFor(
  { read, clock, ledgerSignal }: Reading,
  question: Question,
  { page: first, wait_s, looks }: { page: Look; wait_s: number; looks: Looks },
): Promise<Look> {
  const until = clock.now() + wait_s;
  let page = first;
  for (;;) {
    const left_s = until - clock.now();
    if (page.entries.length > 0 || page.more || left_s <= 0) return page;
    if (!(await ledgerSignal.waitForEntry(page.head.last_id, left_s))) return page;
    page = await looks(read, question, page.head);
  }
}

/** What a value of `since` says: a time, or the position that `next_since` gave. */
function positionOf({ since, ts, after_id }: Input, now: Seconds) {
  const from = since ?? ts ?? (after_id === undefined ? Math.max(0, now - DAY_S) : undefined);
  if (from === undefined || from < SINCE_CURSOR_MIN)
    return { since: from, after_id, isCursor: false };
  const after = Math.max(after_id ?? 0, from - SINCE_CURSOR_MIN);
  return { since: undefined, after_id: after, isCursor: true };
}

const cursorAfter = (id: number): number => SINCE_CURSOR_MIN + id;

type Input = z.output<typeof views.since.input>;

type Reading = Pick<Context, "read" | "clock" | "ledgerSignal"> & Rejects<"position_ahead">;
type Changes = z.output<typeof views.since.output>;

/** Everything after a time or an id, in ledger order (spec: Events, row 2). */
export function changesSince(
  restores: Restores,
): (context: Reading, input: Input) => Promise<Changes> {
  const looks = wokenLooks();
  return (context, input) => answer(context, input, { looks, restores });
}

interface Known {
  readonly looks: Looks;
  readonly restores: Restores;
}

async function answer(
  context: Reading,
  input: Input,
  { looks, restores: known }: Known,
): Promise<Changes> {
  const { kinds, limit, wait, epoch } = input;
  const { isCursor, ...from } = positionOf(input, context.clock.now());
  const sealed = input.with === "entry" ? (true as const) : undefined;
  const named = kinds === undefined ? undefined : [...new Set(kinds.split(","))];
  const question = { ...from, kinds: named, limit, sealed };
  const page = await lookAt(context.read, question);
  const head_id = page.head.last_id;
  const restores = await known(context.read, head_id);
  demandPosition(context, { after_id: from.after_id, epoch }, { head_id, restores });
  const look = await waitFor(context, question, { page, wait_s: wait, looks });
  const { head, entries, more, scanned_id } = look;
  const last = entries.at(-1);
  const after_id = scanned_id ?? last?.id ?? head.last_id;
  // A time that is still to come, mostly milliseconds, would keep its reader waiting.
  const asked =
    from.since !== undefined && from.since <= context.clock.now() ? from.since : head.last_at;
  // From the second that was asked for, the same page would come again: go on from the id. A reader that has
  // once gone on from an id does so for good, or it would go back and forth between the two.
  const isStuck = more && last?.at === from.since;
  const isId = isCursor || isStuck || scanned_id !== null;
  const next_since = isId ? cursorAfter(after_id) : (last?.at ?? asked);
  const count = entries.length;
  return { entries: [...entries], count, next_since, after_id, epoch: epochAfter(restores), more };
}
