import type { ServiceContext } from "../../../platform/context.ts";
import { lengthOf } from "../../../platform/kernel/text-length.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { noOrder } from "../ledger.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { type Outcome, REASON_LENGTH_MAX } from "../rules.ts";
import { orderHeld, orderResolved } from "../steps/holding.ts";
import { takeStep } from "./take-step.ts";
import { settledOrder } from "./timers.ts";

/** What only the operator can do; there is no route to any of it. */
type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "write" | "clock" | "isProven" | "edited" | "reject"
>;
type Refusing = Pick<Needs, "reject">;

/** Stops the clock of an order. Rejects with `invalid_state` after its release. */
export async function holdOrder(
  context: Needs,
  { order_id, reason }: { readonly order_id: number; readonly reason: string },
): Promise<void> {
  demandReason(context, reason);
  await findOrder(context, order_id);
  await context.write(async (tx) => {
    const order = await sql.lockOrder.first(tx, { id: order_id });
    if (order === undefined) return refuseUnknown(context);
    const locked = { tx, order, now: context.clock.now() };
    const said = { reason, salt: null, reason_sha256: sha256Hex(reason) };
    await takeStep(context, locked, [orderHeld, rows.orderHeld], said);
  });
}

interface Resolution {
  readonly order_id: number;
  readonly outcome: Outcome;
  readonly reason: string;
}

/** Ends a hold. Rejects with `invalid_state` when there is none, or nothing was delivered that could be paid. */
export async function resolveOrder(context: Needs, resolution: Resolution): Promise<void> {
  const { order_id, outcome, reason } = resolution;
  demandReason(context, reason);
  await context.write(async (tx) => {
    const order = await sql.lockOrder.first(tx, { id: order_id });
    if (order === undefined) return refuseUnknown(context);
    const locked = { tx, order, now: context.clock.now() };
    const said = { outcome, by: "operator", outcome_reason: reason } as const;
    await takeStep(context, locked, [orderResolved, rows.orderResolved], said);
  });
}

/** An order after what the clock has done to it. Rejects with `order_not_found`. */
export async function findOrder(context: Needs, id: number): Promise<sql.OrderRow> {
  const order = await sql.orderById.first(context.read, { id });
  return order === undefined ? refuseUnknown(context) : settledOrder(context, order);
}

export const refuseUnknown = (context: Refusing): never => refuse(context, noOrder);

/** Rejects with `validation_failed` without words that explain what the operator does. */
export function demandReason({ reject }: Refusing, reason: string | undefined): string {
  if (reason !== undefined && reason.trim() !== "" && lengthOf(reason) <= REASON_LENGTH_MAX)
    return reason;
  const problem = `must be 1 to ${REASON_LENGTH_MAX} characters`;
  return reject("validation_failed", "Say why, in the operator's own words.", [
    { field: "reason", problem },
  ]);
}
