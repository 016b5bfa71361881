import type { Agent, Context } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import type { ErrorCode, Rejects } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { commitment } from "../commitment.ts";
import * as sql from "../queries.ts";
import {
  AGREEMENTS,
  DELIVERIES_MAX,
  DELIVERY_SALT_BYTES,
  deadlineOf,
  isDue,
  isUnpaidEnd,
  PARTLY_PAID,
  type Role,
  type State,
} from "../rules.ts";
import { isContestedIn } from "./contested.ts";
import { findOwnOrder } from "./orders.ts";
import { deliver, dispute, release, resolve, withdraw } from "./transitions.ts";

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
  refuseDelivery(context, order, clock.now());
  const content = Buffer.from(body);
  const delivery = {
    body,
    salt,
    content_sha256: sha256(content).toHex(),
    content_commitment: commitment(salt, content),
    bytes: content.length,
  };
  return write(async (tx) => {
    const locked = await lock(tx, order_id);
    const now = clock.now();
    refuseDelivery(context, locked, now);
    return (await deliver(tx, locked, now, delivery)).deliveries;
  }, "large");
}

/** The buyer accepts; resolves to whether that had nothing left to do. */
export async function acceptDelivery(context: Caller<Refusal>, order_id: number): Promise<boolean> {
  const { write, clock } = context;
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  if (isReleased(order)) return true;
  if (order.state !== "delivered" && order.state !== "held")
    return refuseState(context, order.state);
  return write(async (tx) => {
    const locked = await lock(tx, order_id);
    if (isReleased(locked)) return true;
    const now = clock.now();
    if (await isContestedIn(tx, locked)) {
      await resolve(tx, locked, now, AGREEMENTS.accepted);
      return false;
    }
    if (locked.state !== "delivered") return refuseUnopposed(context, locked);
    const isOver = isDue(locked, now, null);
    await release(tx, locked, now, isOver ? "deadline" : "buyer");
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
  const { write, clock, reject } = context;
  const salt = saltOf(context, "reason_salt", reason_salt);
  const { role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  await write(async (tx) => {
    const locked = await lock(tx, order_id);
    if (locked.disputed === 1)
      return reject("already_disputed", "You have disputed this order; it can be done once.");
    const now = clock.now();
    const state = stateAt(locked, now);
    if (state !== "delivered") return refuseState(context, state);
    await dispute(tx, locked, now, { reason, salt });
  });
}

/** The buyer takes its dispute back: the order goes on with all its time, and three days at least. */
export const withdrawDispute = (context: Caller<Refusal>, order_id: number): Promise<void> =>
  endDispute(context, order_id, AGREEMENTS.taken_back);

/** The seller gives a disputed order's payment back: it is owed to those who paid. */
export const refundDisputed = (context: Caller<Refusal>, order_id: number): Promise<void> =>
  endDispute(context, order_id, AGREEMENTS.refunded);

/** A party ends a hold by a dispute, which needs nobody else; none of the operator's. */
async function endDispute(
  context: Caller<Refusal>,
  order_id: number,
  end: (typeof AGREEMENTS)[keyof typeof AGREEMENTS],
): Promise<void> {
  const { write, clock } = context;
  const { role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, end.by);
  await write(async (tx) => {
    const locked = await lock(tx, order_id);
    if (!(await isContestedIn(tx, locked))) return refuseUnopposed(context, locked);
    await resolve(tx, locked, clock.now(), end);
  });
}

/** The buyer takes back an order that waits for its payment, of which nothing has come. */
export async function withdrawUnpaid(context: Caller<Refusal>, order_id: number): Promise<void> {
  const { write, clock, reject } = context;
  const { order, role } = await findOwnOrder(context, order_id);
  refuseRole(context, role, "buyer");
  if (isUnpaidEnd(order.state)) return;
  await write(async (tx) => {
    const locked = await lock(tx, order_id);
    if (isUnpaidEnd(locked.state)) return;
    if (locked.state !== "awaiting_payment") return refuseState(context, locked.state);
    if (locked.received_raw !== "0") return reject("invalid_state", PARTLY_PAID);
    await withdraw(tx, locked, clock.now());
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

function refuseDelivery(
  { reject }: Rejects<"invalid_state" | "delivery_limit">,
  order: sql.OrderRow,
  now: Seconds,
): void {
  const state = stateAt(order, now);
  if (state !== "paid" && state !== "delivered") refuseState({ reject }, state);
  if (order.deliveries >= DELIVERIES_MAX)
    reject("delivery_limit", `An order has at most ${DELIVERIES_MAX} deliveries.`);
}

/** The state that an order has once the clock has moved it on. A hold is over when its end has an entry. */
function stateAt(order: sql.OrderRow, now: Seconds): State {
  const isOver = order.state !== "held" && isDue(order, now, null);
  return (isOver ? deadlineOf(order).on_deadline : null) ?? order.state;
}

/** Only a dispute is for the parties to end. */
function refuseUnopposed(context: Rejects<"invalid_state">, { state }: sql.OrderRow): never {
  if (state !== "held") return refuseState(context, state);
  return context.reject(
    "invalid_state",
    "The operator holds this order, and no dispute of its buyer: only the operator ends that, or the deadline.",
    [{ field: "state", problem: state }],
  );
}

/** The order's state does not allow it; the details carry the state. */
export const refuseState = ({ reject }: Rejects<"invalid_state">, state: State): never =>
  reject(
    "invalid_state",
    "The order's state does not allow this. {market.get} shows what it allows.",
    [{ field: "state", problem: state }],
  );
