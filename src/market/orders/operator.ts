import type { ServiceContext } from "../../context.ts";
import { lengthOf } from "../../kernel/text-length.ts";
import * as sql from "../queries.ts";
import { type Outcome, REASON_LENGTH_MAX } from "../rules.ts";
import { refuseState } from "./parties.ts";
import { settledOrder } from "./timers.ts";
import { hold, resolve } from "./transitions.ts";

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
    if (order.state !== "paid" && order.state !== "delivered")
      return refuseState(context, order.state);
    await hold(tx, order, context.clock.now(), { reason });
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
    if (order.state !== "held") return refuseState(context, order.state);
    if (outcome === "release" && order.deliveries === 0)
      return context.reject(
        "invalid_state",
        "Nothing was delivered, so there is nothing to pay for.",
      );
    await resolve(tx, order, context.clock.now(), { outcome, by: "operator", reason });
  });
}

/** An order after what the clock has done to it. Rejects with `order_not_found`. */
export async function findOrder(context: Needs, id: number): Promise<sql.OrderRow> {
  const order = await sql.orderById.first(context.read, { id });
  return order === undefined ? refuseUnknown(context) : settledOrder(context, order);
}

export const refuseUnknown = ({ reject }: Refusing): never =>
  reject("order_not_found", "There is no order with this id.");

/** Rejects with `validation_failed` without words that explain what the operator does. */
export function demandReason({ reject }: Refusing, reason: string | undefined): string {
  if (reason !== undefined && reason.trim() !== "" && lengthOf(reason) <= REASON_LENGTH_MAX)
    return reason;
  const problem = `must be 1 to ${REASON_LENGTH_MAX} characters`;
  return reject("validation_failed", "Say why, in the operator's own words.", [
    { field: "reason", problem },
  ]);
}
