import type * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { micro } from "../../../platform/kernel/money.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { actionsOf, type Block, deadlineOf, isDue } from "../rules.ts";
import type { ownOrder } from "../shapes.ts";
import { isContested } from "./contested.ts";
import { payoutAddress } from "./order-view.ts";
import { scannedAt, settleOrders } from "./timers.ts";
import { newestOrders, waitingOrders } from "./view-queries.ts";

type OwnOrder = z.output<typeof ownOrder>;
type Row = Awaited<ReturnType<typeof newestOrders.buyer.all>>[number];

interface Range {
  readonly before_id: number;
  readonly limit: number;
}

/** An agent's orders as buyer and seller, newest first, after what the clock has done to them. */
export async function ownOrders(
  context: Pick<Context, "read" | "snapshot" | "write" | "clock" | "isProven" | "edited">,
  agent: number,
  range: Range,
): Promise<OwnOrder[]> {
  const { read, clock } = context;
  const rows = await newestOf(read, agent, range);
  const due = await dueAmong(read, rows, clock.now());
  const settled = (await settleOrders(context, due)) > 0;
  const shown = settled ? await newestOf(read, agent, range) : rows;
  return show(read, agent, shown, clock.now());
}

async function newestOf(read: Db, agent: number, range: Range): Promise<Row[]> {
  const [bought, sold] = await Promise.all([
    newestOrders.buyer.all(read, { agent, ...range }),
    newestOrders.seller.all(read, { agent, ...range }),
  ]);
  return [...bought, ...sold].sort((a, b) => b.id - a.id).slice(0, range.limit);
}

async function dueAmong(read: Db, rows: readonly Row[], now: Seconds) {
  const accounts = new Set(
    rows.filter(({ state }) => state === "awaiting_payment").map((row) => row.escrow_address),
  );
  const scans = new Map<string, Seconds | null>();
  for (const escrow_address of accounts)
    scans.set(escrow_address, await scannedAt(read, { escrow_address }));
  return rows
    .map((row) => ({ row, scanned_at: scans.get(row.escrow_address) ?? null }))
    .filter(({ row, scanned_at }) => isDue(row, now, scanned_at))
    .map(({ row, scanned_at }) => ({ id: row.id, scanned_at }));
}

/**
 * The orders on which an agent can do something now, for its queue; those whose time ends first come
 * first. It changes nothing, so an order whose time is over is left out and not moved on.
 */
export async function actionableOrders(
  read: Db,
  agent: number,
  { limit, now }: { readonly limit: number; readonly now: Seconds },
): Promise<OwnOrder[]> {
  const rows = await waitingOrders.all(read, { agent, limit });
  const shown = await show(read, agent, rows, now);
  const end = ({ deadline_at }: OwnOrder) => deadline_at ?? Number.POSITIVE_INFINITY;
  return shown
    .filter((each) => each.allowed_actions.length > 0 && end(each) > now)
    .sort((a, b) => (end(a) === end(b) ? a.id - b.id : end(a) - end(b)))
    .slice(0, limit);
}

async function show(
  read: Db,
  agent: number,
  rows: readonly Row[],
  now: Seconds,
): Promise<OwnOrder[]> {
  const isOwed = rows.some(({ role, state }) => role === "seller" && state === "released");
  const blocked = isOwed ? (await payoutAddress(read, agent, now)).blocked : null;
  return rows.map((row) => showOwn(row, blocked, now));
}

const showOwn = (row: Row, blocked: Block | null, now: Seconds): OwnOrder => ({
  id: row.id,
  role: row.role,
  title: row.title,
  price_usd: micro(row.price_usd_micro),
  state: row.state,
  ...deadlineOf(row),
  allowed_actions: actionsOf(
    { ...row, isContested: isContested(row, row) },
    row.role,
    blocked,
    now,
  ),
});
