import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import {
  type EntryKind,
  fieldsIn,
  type Shape,
} from "../../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { entriesNamed, entriesOfRefs } from "../../../platform/ledger/entry-queries.ts";
import { sha256Hex, sha256IfAny } from "../../../platform/ledger/sha256.ts";
import { ADDRESS_WAIT_S, type Currency, rateText } from "../../transfers/rules.ts";
import { commitment } from "../commitment.ts";
import * as kinds from "../entries.ts";
import { agentName, type OrderRow, orderById } from "../queries.ts";
import { ORDER_KINDS } from "../rules.ts";
import { isAsMade, type OrderEntry, orderOf } from "../steps/order-fold.ts";
import * as sql from "./commitment-queries.ts";

/*
 * What money depends on and the ledger has only as a hash. Somebody who writes to the database could send
 * a payout elsewhere by it, so it is compared with its entry before a payment is requested or recorded.
 */

const ORDER = ["offer_id", "buyer", "seller", "escrow", "rate", "refund_address_sha256"] as const;
const sealedOrder = (body: unknown) => fieldsIn(kinds.order, body, ...ORDER);

/**
 * Whether an order is what its entries make: parties, invoice, state, sums and deadlines; and whether those entries
 * are the ones that this node has signed. It is asked in one state of the database, a snapshot, because a row and its
 * entries come together. False without such an order.
 */
export async function isOrderSealed(
  { isProven }: Pick<Context, "isProven">,
  read: Db,
  id: number,
): Promise<boolean> {
  const order = await orderById.first(read, { id });
  if (order === undefined) return false;
  const { placed, waiting } = await entriesNamed(read, { kinds: KINDS_OF_ORDERS, name: `${id}` });
  if (!(await isProven(read, placed))) return false;
  const entries: readonly OrderEntry[] = [
    ...placed.map((entry) => ({ ...entry, body: JSON.parse(entry.body) })),
    ...waiting.map((entry) => ({ ...entry, at: 0, body: JSON.parse(entry.body) })),
  ];
  const made = orderOf(entries);
  const [first] = entries;
  if (first === undefined || made === null || !isAsMade(order, made)) return false;
  return isInvoiceSealed(read, order, sealedOrder(first.body));
}

/** The parties and the invoice. */
async function isInvoiceSealed(
  read: Db,
  order: OrderRow,
  sealed: ReturnType<typeof sealedOrder>,
): Promise<boolean> {
  const buyer = await agentName.first(read, { id: order.buyer });
  const seller = await agentName.first(read, { id: order.seller });
  return isSame(
    [
      [
        sealed.offer_id,
        sealed.buyer,
        sealed.seller,
        sealed.rate,
        sealed.escrow,
        sealed.refund_address_sha256 ?? "",
      ],
    ],
    [
      [
        order.offer,
        buyer?.agent_id ?? "",
        seller?.agent_id ?? "",
        rateText(BigInt(order.rate_e8)),
        order.escrow_address,
        sha256IfAny(order.refund_address) ?? "",
      ],
    ],
  );
}

const KINDS_OF_ORDERS = JSON.stringify(ORDER_KINDS);

/** Whether an agent's payout addresses are those that it set, each with its time. */
export async function areAddressesSealed(read: Db, agent_id: string): Promise<boolean> {
  const [entries, rows] = await Promise.all([
    bodiesOf(read, kinds.payoutAddress, agent_id, "address_sha256", "usable_from"),
    sql.addressesOf.all(read, { agent_id }),
  ]);
  return isSame(
    entries.map((entry, i) => [
      i + 1,
      entry.address_sha256,
      entry.usable_from,
      isSuperseded(entry, entries[i + 1]) ? 1 : 0,
    ]),
    rows.map((row) => [row.n, sha256Hex(row.address), row.usable_from, row.superseded]),
  );
}

/** An address that could not be used yet when the next one was set never is. */
const isSuperseded = (
  { usable_from }: { readonly usable_from: Seconds },
  next: { readonly usable_from: Seconds } | undefined,
): boolean => next !== undefined && next.usable_from - ADDRESS_WAIT_S < usable_from;

/** Whether what was delivered for an order is what its seller delivered. */
export async function areDeliveriesSealed(read: Db, order_id: number): Promise<boolean> {
  const [entries, rows] = await Promise.all([
    bodiesOf(read, kinds.orderDelivered, order_id, "n", "content_commitment"),
    sql.contentsOf.all(read, { order_id }),
  ]);
  return isSame(
    entries.map(({ n, content_commitment }) => [n, content_commitment]),
    rows.map(({ n, body, salt }) => [n, commitment(salt, Buffer.from(body))]),
  );
}

interface Debt {
  readonly n: number;
  readonly amount_raw: string;
  readonly to_account: string | null;
}

/** Those open debts of an order that are not what their entries say, by number. */
export async function editedDebts(read: Db, order_id: number): Promise<ReadonlySet<number>> {
  const [entries, debts] = await Promise.all([
    bodiesOf(read, kinds.refundDue, order_id, "n", "amount_raw", "to_sha256"),
    sql.openDebtsOf.all(read, { order_id }),
  ]);
  const sealed = new Map(entries.map((entry) => [entry.n, entry]));
  const isEdited = ({ n, amount_raw, to_account }: Debt): boolean => {
    const entry = sealed.get(n);
    return entry?.amount_raw !== amount_raw || entry.to_sha256 !== sha256IfAny(to_account);
  };
  return new Set(debts.filter(isEdited).map(({ n }) => n));
}

/** Fields of the entries that are counted under a name, `7/1` and `7/2`; 0 is the character after the slash. */
async function bodiesOf<Fields extends Shape, Name extends keyof Fields & string>(
  read: Db,
  record: Pick<EntryKind<string, Fields>, "kind" | "fields">,
  name: string | number,
  ...names: readonly Name[]
) {
  const counted = { kind: record.kind, from: `${name}/`, end: `${name}0` };
  const entries = await entriesOfRefs(read, counted);
  return entries.map(({ body }) => fieldsIn(record, body, ...names));
}

type Line = readonly (string | number)[];

const isSame = (sealed: readonly Line[], stored: readonly Line[]): boolean =>
  JSON.stringify(sealed) === JSON.stringify(stored);

type Needs = Pick<Context, "read" | "snapshot" | "isProven" | "edited" | "reject">;

/** A payout as the operator wants it recorded. */
interface Payout {
  readonly currency: Currency;
  readonly reason?: string | undefined;
}

/**
 * Rejects a payout that would go by what somebody edited: by an address always, for a delivery unless the
 * operator says why it is paid all the same.
 */
export async function refuseEditedPayout(
  { read, reject }: Pick<Needs, "read" | "reject">,
  { id, seller }: Pick<OrderRow, "id" | "seller">,
  { currency, reason }: Payout,
): Promise<void> {
  const { agent_id = "" } = (await agentName.first(read, { id: seller })) ?? {};
  if (currency === "xno" && !(await areAddressesSealed(read, agent_id)))
    return reject(
      "validation_failed",
      `The payout address is not what the seller set. ${PUT_BACK}`,
      [{ field: "address", problem: "address_edited" }],
    );
  if (!(await areDeliveriesSealed(read, id)) && (reason ?? "").trim() === "")
    return reject(
      "validation_failed",
      "The stored delivery differs from what the seller delivered.",
      [{ field: "reason", problem: "delivery_edited: say why it is paid all the same" }],
    );
}

/** Rejects an act on an order that is not the one that was sealed, and tells the operator of it. */
export async function refuseEditedOrder(
  context: Omit<Needs, "read">,
  { id }: Pick<OrderRow, "id">,
): Promise<void> {
  const { snapshot, edited, reject } = context;
  if (await snapshot((read) => isOrderSealed(context, read, id))) return;
  edited({ order_id: id });
  return reject("validation_failed", `The order is not what was sealed. ${PUT_BACK}`, [
    { field: "order", problem: "order_edited" },
  ]);
}

export const refuseEditedDebt = ({ reject }: Pick<Needs, "reject">): never =>
  reject("validation_failed", `The debt is not what was sealed. ${PUT_BACK}`, [
    { field: "n", problem: "debt_edited" },
  ]);

const PUT_BACK = "Somebody has edited the database: cairn audit names the rows to put back.";
