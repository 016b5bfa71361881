import type { ChainAdapter, Lists } from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { DAY_S, HOUR_S, MINUTE_S, type Seconds } from "../../../platform/kernel/time.ts";
import { isTagged, taggedId } from "../amounts.ts";
import { type OrderRow, orderById } from "../queries.ts";
import type { DoubtWhy } from "../rules.ts";
import * as sql from "./queries.ts";

const FIRST_RETRY_S = 10;
const RETRY_MAX_S = HOUR_S;
/** Beyond, only transfers that name an order which waits for its payment are written down. */
const OPEN_MAX = 10_000;
/** A doubtful transfer keeps the order that it names from expiring for so long. */
const NAMED_HOLD_S = 7 * DAY_S;
/** One of unknown amount may be for any order. */
const UNNAMED_HOLD_S = HOUR_S;
/** One of which fewer nodes than the quorum tell may be on its way; one liar is enough to tell of it. */
export const UNTOLD_HOLD_S = 30 * MINUTE_S;

/** An incoming transfer as all nodes together list it. */
export type Incoming = Lists["entries"][number];

/** The order that waits for its payment and that a transfer names by its amount, as one of the nodes reports it. */
export async function namedOrder(read: Db, { amounts }: Incoming): Promise<OrderRow | null> {
  for (const amount of amounts) {
    const order = await orderNamed(read, amount);
    if (order?.state === "awaiting_payment") return order;
  }
  return null;
}

/** The order that the digits of an amount name. */
export async function orderNamed(read: Db, amount_raw: bigint): Promise<OrderRow | null> {
  const id = taggedId(amount_raw);
  const order = id === null ? undefined : await orderById.first(read, { id });
  return order !== undefined && isTagged(amount_raw, order) ? order : null;
}

type Needs = Pick<Context, "read" | "write" | "clock">;
type Watching = Needs & { readonly chain: Pick<ChainAdapter, "quorum"> };

/** Writes a transfer down that could not be proven. Resolves to false when there is no room for it. */
export async function noteDoubt(
  { read, write, clock, chain }: Watching,
  account: string,
  transfer: Incoming,
  why: DoubtWhy,
): Promise<boolean> {
  const { hash, amounts, from, tellers } = transfer;
  const order = await namedOrder(read, transfer);
  const count = (await sql.countDoubts.first(read, { account }))?.n ?? 0;
  if (order === null && count >= OPEN_MAX) return false;
  const now = clock.now();
  const isAgreed = amounts.length === 1;
  const doubt = {
    account,
    hash,
    why,
    amount_raw: isAgreed ? String(amounts[0]) : null,
    from_account: from,
    order_id: isAgreed ? (order?.id ?? null) : null,
    told_by: tellers.length,
    untold: tellers.length < chain.quorum ? 1 : 0,
    first_seen_at: now,
    ...nextTry(why, 0, now),
  };
  await write((tx) => sql.putDoubt.run(tx, doubt));
  return true;
}

/** Notes that another try has proven nothing. */
export async function repeatDoubt(
  { write, clock }: Pick<Needs, "write" | "clock">,
  doubt: sql.Doubt,
  why: DoubtWhy,
): Promise<void> {
  const { state: _, closed_at: __, note: ___, ...kept } = doubt;
  const next = { ...kept, why, ...nextTry(why, doubt.tries, clock.now()) };
  await write((tx) => sql.putDoubt.run(tx, next));
}

/** After 10 s, then twice as long each time, an hour at most; what only the operator ends is not tried. */
function nextTry(why: DoubtWhy, tries: number, now: Seconds) {
  const pause_s = Math.min(FIRST_RETRY_S * 2 ** Math.min(tries, 20), RETRY_MAX_S);
  return { tries: tries + 1, next_try_at: why === "too_many" ? null : now + pause_s };
}

/** Whether an order that nobody has paid must not expire yet, because its payment may be among the doubts. */
export async function isInDoubt(
  read: Db,
  { id, escrow_address }: Pick<OrderRow, "id" | "escrow_address">,
  now: Seconds,
): Promise<boolean> {
  const order = { order_id: id, account: escrow_address };
  return (await sql.holdingDoubt.first(read, { ...order, ...holdsSince(now) })) !== undefined;
}

/** Doubts that were first seen later keep orders from expiring. */
export const holdsSince = (now: Seconds) => ({
  named_after: now - NAMED_HOLD_S,
  unnamed_after: now - UNNAMED_HOLD_S,
  untold_after: now - UNTOLD_HOLD_S,
});
