import type { Agent, Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import type { ErrorCode, Rejects } from "../../../platform/kernel/contract/errors.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { commitment } from "../commitment.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import {
  AGREEMENTS,
  DELIVERY_SALT_BYTES,
  isDue,
  isUnpaidEnd,
  type Role,
  type State,
} from "../rules.ts";
import { orderDelivered, orderReleased } from "../steps/delivering.ts";
import { orderDisputed, orderResolved } from "../steps/holding.ts";
import { orderExpired } from "../steps/paying.ts";
import { inState, stateRefusal } from "../steps/step.ts";
import { findOwnOrder } from "./orders.ts";
import { type Locked, refuseStep, takeStep } from "./take-step.ts";

type Refusal = "order_not_found" | "wrong_role" | "invalid_state";
type Caller<Code extends ErrorCode> = Context & { readonly agent: Agent } & Rejects<Code>;

/** What a seller sends; it chooses the salt of the commitment when its key signs that. */
interface Delivered {
  readonly order_id: number;
  readonly body: string;
  readonly content_salt?: string | undefined;
}

/** The seller delivers; resolves to the number of the delivery. */
export async function deliverContent(
  context: Caller<Refusal | "delivery_limit">,
  { order_id, body, content_salt }: Delivered,
): Promise<number> {
  const { write, clock } = context;
  const salt = saltOf(context, "content_salt", content_salt);
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "seller");
  await refuseStep(context, { order, now: clock.now() }, orderDelivered);
  const content = Buffer.from(body);
  const delivery = {
    body,
    salt,
    content_sha256: sha256(content).toHex(),
    content_commitment: commitment(salt, content),
    bytes: content.length,
  };
  return write(async (tx) => {
    const locked = { tx, order: await lock(tx, order_id), now: clock.now() };
    const step = [orderDelivered, rows.orderDelivered] as const;
    return (await takeStep(context, locked, step, delivery)).deliveries;
  }, "large");
}

/** The buyer accepts; resolves to whether that had nothing left to do. */
export async function acceptDelivery(context: Caller<Refusal>, order_id: number): Promise<boolean> {
  const { write, clock } = context;
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  if (isReleased(order)) return true;
  const asked = { order, now: clock.now() };
  if (order.state === "held") await refuseStep(context, asked, orderResolved, AGREEMENTS.accepted);
  else await refuseStep(context, asked, orderReleased, { by: "buyer" });
  return write(async (tx) => {
    const locked = { tx, order: await lock(tx, order_id), now: clock.now() };
    if (isReleased(locked.order)) return true;
    if (locked.order.state === "held") {
      await endHold(context, locked, AGREEMENTS.accepted);
      return false;
    }
    const isOver = isDue(locked.order, locked.now, null);
    const by = isOver ? ("deadline" as const) : ("buyer" as const);
    await takeStep(context, locked, [orderReleased, rows.orderReleased], { by });
    return isOver;
  });
}

/** What a buyer says; it chooses the salt of the commitment when its key signs that. */
interface Disputed {
  readonly order_id: number;
  readonly reason: string;
  readonly reason_salt?: string | undefined;
}

/** The buyer of a delivered order stops its clock, once; the operator decides. */
export async function disputeDelivery(
  context: Caller<Refusal | "already_disputed">,
  { order_id, reason, reason_salt }: Disputed,
): Promise<void> {
  const { write, clock } = context;
  const salt = saltOf(context, "reason_salt", reason_salt);
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  await refuseStep(context, { order, now: clock.now() }, orderDisputed);
  const reason_commitment = commitment(salt, Buffer.from(reason));
  await write(async (tx) => {
    const locked = { tx, order: await lock(tx, order_id), now: clock.now() };
    const said = { reason, salt, reason_commitment };
    await takeStep(context, locked, [orderDisputed, rows.orderDisputed], said);
  });
}

/** The buyer takes its dispute back: the order goes on with all its time, and three days at least. */
export const withdrawDispute = (context: Caller<Refusal>, order_id: number): Promise<void> =>
  endDispute(context, order_id, AGREEMENTS.taken_back);

/** The seller gives a disputed order's payment back: it is owed to those who paid. */
export const refundDisputed = (context: Caller<Refusal>, order_id: number): Promise<void> =>
  endDispute(context, order_id, AGREEMENTS.refunded);

type Agreement = (typeof AGREEMENTS)[keyof typeof AGREEMENTS];

/** A party ends a hold by a dispute, which needs nobody else; none of the operator's. */
async function endDispute(
  context: Caller<Refusal>,
  order_id: number,
  end: Agreement,
): Promise<void> {
  const { write, clock } = context;
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, end.by);
  await refuseStep(context, { order, now: clock.now() }, orderResolved, end);
  await write(async (tx) => {
    const locked = { tx, order: await lock(tx, order_id), now: clock.now() };
    await endHold(context, locked, end);
  });
}

function endHold(
  context: Rejects<"invalid_state">,
  locked: Locked,
  { outcome, by, reason }: Agreement,
): Promise<sql.OrderRow> {
  const said = { outcome, by, outcome_reason: reason };
  return takeStep(context, locked, [orderResolved, rows.orderResolved], said);
}

/** The buyer takes back an order that waits for its payment, of which nothing has come. */
export async function withdrawUnpaid(context: Caller<Refusal>, order_id: number): Promise<void> {
  const { write, clock } = context;
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  if (isUnpaidEnd(order.state)) return;
  const said = { by: "buyer" } as const;
  await refuseStep(context, { order, now: clock.now() }, orderExpired, said);
  await write(async (tx) => {
    const locked = { tx, order: await lock(tx, order_id), now: clock.now() };
    if (isUnpaidEnd(locked.order.state)) return;
    await takeStep(context, locked, [orderExpired, rows.orderExpired], said);
  });
}

/** The salt of a commitment. An act key signs that, so its agent chooses the salt. */
function saltOf(
  { random, agent, reject }: Pick<Caller<never>, "random" | "agent" | "reject">,
  field: string,
  given: string | undefined,
): Uint8Array {
  if (given !== undefined) return Buffer.from(given, "hex");
  if (agent.key === undefined) return random(DELIVERY_SALT_BYTES);
  return reject(
    "validation_failed",
    "Your act key signs the commitment, so its salt is yours to choose.",
    [{ field, problem: "must be 32 lower-case hex characters, random for each" }],
  );
}

async function lock(tx: Tx, id: number): Promise<sql.OrderRow> {
  const order = await sql.lockOrder.first(tx, { id });
  if (order === undefined) throw new Error("An order has gone.");
  return order;
}

const isReleased = ({ state }: sql.OrderRow): boolean =>
  state === "released" || state === "paid_out";

function refuseRole({ reject }: Rejects<"wrong_role">, role: Role, wanted: Role): void {
  if (role !== wanted) reject("wrong_role", `This is for the ${wanted} of the order to do.`);
}

/** The order's state does not allow it; the details carry the state. */
export const refuseState = (context: Rejects<"invalid_state">, state: State): never =>
  refuse(context, inState(stateRefusal, state));
