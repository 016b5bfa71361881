import type * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { DAY_S, type Seconds } from "../../../platform/kernel/time.ts";
import {
  demandPosition,
  epochAfter,
  type Restores,
} from "../../../platform/ledger/seals/restores.ts";
import type { views } from "../contract.ts";
import { SINCE_CURSOR_MIN } from "../rules.ts";
import { type Look, lookAt, type Question } from "./ledger-page.ts";
import { type Looks, wokenLooks } from "./woken.ts";

const awaited = ({ kinds }: Question, { head }: Look) => ({ after_id: head.last_id, kinds });

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
    if (!(await ledgerSignal.waitForEntry(awaited(question, page), left_s))) return page;
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
