import type { Context } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { NOBODY } from "../../../platform/ledger/decide.ts";
import { apart } from "../../../platform/ledger/forbidden.ts";
import { isOrderSealed } from "../audit/commitments.ts";
import { holdsSince, isInDoubt } from "../doubts/doubts.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { EXPIRY_GRACE_S, isAhead, isDue } from "../rules.ts";
import { orderReleased, orderUndelivered } from "../steps/delivering.ts";
import { orderResolved } from "../steps/holding.ts";
import { orderExpired } from "../steps/paying.ts";
import { takeStep } from "./take-step.ts";

type Needs = Pick<Context, "read" | "snapshot" | "write" | "clock" | "isProven" | "edited">;

/** When the last complete scan of an order's escrow account began. It only grows, so it may be old. */
export async function scannedAt(
  read: Db,
  { escrow_address }: Pick<sql.OrderRow, "escrow_address">,
): Promise<Seconds | null> {
  const row = await sql.watched.first(read, { account: escrow_address });
  return row?.scanned_at ?? null;
}

/** What the clock does, if it does anything. */
async function settle(
  tx: Tx,
  order: sql.OrderRow,
  now: Seconds,
  scanned_at: Seconds | null,
): Promise<sql.OrderRow> {
  if (!isDue(order, now, scanned_at)) return order;
  const locked = { tx, order, now };
  switch (order.state) {
    case "awaiting_payment":
      if (await isInDoubt(tx, order, now)) return order;
      return takeStep(NOBODY, locked, [orderExpired, rows.orderExpired], {});
    case "paid":
      return takeStep(NOBODY, locked, [orderUndelivered, rows.orderUndelivered], {});
    case "held": {
      const said = { outcome: "resume", by: "deadline", outcome_reason: HOLD_OVER } as const;
      return takeStep(NOBODY, locked, [orderResolved, rows.orderResolved], said);
    }
    default:
      return takeStep(NOBODY, locked, [orderReleased, rows.orderReleased], { by: "deadline" });
  }
}

/** Public, like every reason of a hold's end. */
const HOLD_OVER = "The hold has ended by itself after 30 days.";

/** An order after what the clock has done to it, which is stored before anybody sees it. */
export async function settledOrder(context: Needs, order: sql.OrderRow): Promise<sql.OrderRow> {
  const { read, clock } = context;
  const scanned_at = order.state === "awaiting_payment" ? await scannedAt(read, order) : null;
  if (!clock.mayEnd() || !isDue(order, clock.now(), scanned_at)) return order;
  await settleOrders(context, [{ id: order.id, scanned_at }]);
  return (await sql.orderById.first(read, { id: order.id })) ?? order;
}

/** Orders that seem due, each with the scan that says so. */
interface Due {
  readonly id: number;
  readonly scanned_at: Seconds | null;
}

/**
 * Looks again under the lock, so two nodes that settle the same order do it once. An order that is not what its
 * entries make is left as it is: its deadline may be somebody's who writes to the database. One that a rule forbids to
 * end is told of after the others.
 */
export async function settleOrders(context: Needs, due: readonly Due[]): Promise<number> {
  if (!context.clock.mayEnd()) return 0;
  const sound = await soundAmong(context, due);
  if (sound.length === 0) return 0;
  const all = await apart().attempt(() => settleSound(context, sound));
  if (all !== undefined) return all;
  const each = apart();
  let settled = 0;
  for (const one of sound) settled += (await each.attempt(() => settleSound(context, [one]))) ?? 0;
  each.end();
  return settled;
}

const settleSound = ({ write, clock }: Needs, sound: readonly Due[]): Promise<number> =>
  write(async (tx) => {
    let settled = 0;
    for (const { id, scanned_at } of sound) {
      const order = await sql.lockOrder.first(tx, { id });
      if (order === undefined) continue;
      if ((await settle(tx, order, clock.now(), scanned_at)) !== order) settled++;
    }
    return settled;
  }, "upkeep");

async function soundAmong(context: Needs, due: readonly Due[]): Promise<Due[]> {
  const { snapshot, edited } = context;
  const sound: Due[] = [];
  for (const each of due)
    if (await snapshot((read) => isOrderSealed(context, read, each.id))) sound.push(each);
    else edited({ order_id: each.id });
  return sound;
}

/** The job: moves on what the clock has ended and nobody looked at; resolves to how many orders. */
export async function settleDueOrders(context: Needs, limit: number): Promise<number> {
  const { read, clock } = context;
  const now = clock.now();
  const due: Due[] = [];
  for (const { account, scanned_at } of await sql.watches.all(read, {})) {
    if (scanned_at === null || isAhead(scanned_at, now)) continue;
    const before = Math.min(scanned_at, now + 1) - EXPIRY_GRACE_S;
    const { named_after, untold_after } = holdsSince(now);
    const rows = await sql.unpaid.all(read, { account, before, named_after, untold_after, limit });
    due.push(...rows.map(({ id }) => ({ id, scanned_at })));
  }
  const [undelivered, unaccepted, overheld] = await Promise.all([
    sql.undelivered.all(read, { now, limit }),
    sql.unaccepted.all(read, { now, limit }),
    sql.overheld.all(read, { now, limit }),
  ]);
  due.push(
    ...[...undelivered, ...unaccepted, ...overheld].map(({ id }) => ({ id, scanned_at: null })),
  );
  return settleOrders(context, due.slice(0, limit));
}
