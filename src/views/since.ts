import type * as z from "zod";
import type { Context } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { ledgerHead } from "../ledger/queries.ts";
import type { views } from "./contract.ts";
import * as sql from "./since-queries.ts";
import { textsOf } from "./texts.ts";

/** An entry that has its place in the ledger. */
interface PlacedEntry {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly at: number;
  readonly body: string;
  readonly entry?: string | null;
  readonly leaf?: Uint8Array | null;
}

/** What to read: `since` and `after_id` both hold when both are given. */
interface Question {
  readonly since: number | undefined;
  readonly after_id: number | undefined;
  readonly kinds: readonly string[] | undefined;
  readonly limit: number;
  readonly sealed: true | undefined;
}

/** The entries that answer a question, one more than its limit when there are more. */
async function entriesFor(read: Db, question: Question): Promise<PlacedEntry[]> {
  const after_id = await startOf(read, question);
  if (after_id === null) return [];
  const { kinds, sealed } = question;
  const limit = question.limit + 1;
  if (kinds === undefined)
    return placed(await sql.entriesAfter.all(read, { after_id, limit, sealed }));
  const byKind = await Promise.all(
    kinds.map((kind) => sql.entriesAfter.all(read, { after_id, limit, kind, sealed })),
  );
  const merged = placed(byKind.flat()).sort((a, b) => a.ledger_id - b.ledger_id);
  return merged.slice(0, limit);
}

/** The id after which to read; null when nothing is as late as `since`. */
async function startOf(read: Db, { since, after_id = 0 }: Question): Promise<number | null> {
  if (since === undefined) return after_id;
  const first = await sql.firstIdAt.first(read, { since });
  return first === undefined ? null : Math.max(after_id, first.ledger_id - 1);
}

/** Rows that have an id have a time too: a CHECK of the table says so. */
const placed = (rows: Awaited<ReturnType<typeof sql.entriesAfter.all>>): PlacedEntry[] =>
  rows.filter((row): row is PlacedEntry => row.ledger_id !== null && row.at !== null);

interface Head {
  readonly last_id: number;
  readonly last_at: number;
}

/**
 * Waits until there is an answer, or `wait_s` seconds have passed. `head` was the last entry before
 * the answer was looked up: whoever goes on after its id, or in its second, misses nothing.
 */
async function waitFor(
  { read, clock, arrivals }: Pick<Context, "read" | "clock" | "arrivals">,
  question: Question,
  wait_s: number,
): Promise<{ readonly found: readonly PlacedEntry[]; readonly head: Head }> {
  const until = clock.now() + wait_s;
  for (;;) {
    const head = (await ledgerHead.first(read, {})) ?? { last_id: 0, last_at: 0 };
    const found = await entriesFor(read, question);
    const left_s = until - clock.now();
    if (found.length > 0 || left_s <= 0) return { found, head };
    if (!(await arrivals.after(head.last_id, left_s))) return { found, head };
  }
}

/** Entries as `/since` shows them, with the text that was hashed, and its leaf, where that was asked for. */
async function show(
  read: Db,
  entries: readonly PlacedEntry[],
): Promise<z.output<typeof views.since.output>["entries"]> {
  const texts = await textsOf(read, entries);
  return entries.map(({ ledger_id, kind, ref, at, body, entry, leaf }) => ({
    id: ledger_id,
    kind,
    ref,
    at,
    body: JSON.parse(body),
    text: texts.get(ledger_id) ?? {},
    ...(entry == null ? {} : { entry, leaf: leaf?.toHex() }),
  }));
}

/** Everything after a time or an id, in ledger order (spec: Events, row 2). */
export async function changesSince(
  context: Pick<Context, "read" | "clock" | "arrivals">,
  input: z.output<typeof views.since.input>,
): Promise<z.output<typeof views.since.output>> {
  const { since, ts, after_id, kinds, limit, wait } = input;
  const from = since ?? ts;
  const sealed = input.with === "entry" ? (true as const) : undefined;
  const named = kinds === undefined ? undefined : [...new Set(kinds.split(","))];
  const question = { since: from, after_id, kinds: named, limit, sealed };
  const { found, head } = await waitFor(context, question, wait);
  const entries = await show(context.read, found.slice(0, limit));
  const last = entries.at(-1);
  // A time that is still to come, mostly milliseconds, would keep whoever goes on from it waiting.
  const asked = from !== undefined && from <= context.clock.now() ? from : head.last_at;
  return {
    entries,
    count: entries.length,
    next_since: last?.at ?? asked,
    after_id: last?.id ?? Math.max(after_id ?? 0, head.last_id),
    more: found.length > limit,
  };
}
