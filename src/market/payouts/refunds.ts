import type { ServiceContext } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import type { Rejects } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";
import { enact } from "../../ledger/rows/enact.ts";
import { type Currency, isAllButDust, transferKey } from "../../transfers/rules.ts";
import { openDebtsOf } from "../audit/commitment-queries.ts";
import { refuseEditedDebt, refuseEditedOrder } from "../audit/commitments.ts";
import { demandReason, findOrder, refuseUnknown } from "../orders/operator.ts";
import { refuseUnscanned } from "../orders/restored.ts";
import { change } from "../orders/take-step.ts";
import { takeTransfer } from "../payments/payments.ts";
import { demandAccount, shownTxid } from "../payments/proof-of-send.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { type DebtLine, debtLines, type OpenDebt, settled, settlingAmounts } from "./debt-lines.ts";
import { recheckLater, recordable, refuseAmount, refuseForced, type Sent } from "./recordable.ts";

type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "write" | "clock" | "chain" | "settings" | "isProven" | "edited" | "reject"
>;

type Refusing = Rejects<never>;

interface SentBack extends Sent {
  /** One of the debts to the account that was paid; default: the oldest open one of the order. */
  readonly n?: number | undefined;
  /** If only the operator knows the amount, and the account is owed more than one debt. */
  readonly amount_raw?: string | undefined;
}

/**
 * Records that debts to one account were paid back with one transfer. Its amount says which: the oldest
 * ones that it is the sum of, or the named one alone. `to` is instead of the account that paid, and needs a
 * reason. The order ends with it when it owes nothing more but dust.
 */
export async function recordRefund(context: Needs, sent: SentBack): Promise<void> {
  const { write, clock } = context;
  const { order_id, currency } = sent;
  refuseForced(context, currency);
  const order = await findOrder(context, order_id);
  await refuseEditedOrder(context, order);
  const line = await lineOf(context, sent);
  await refuseUnscanned(context, order);
  const named = line.debts.find(({ n }) => n === sent.n);
  const ways = settlingAmounts(line.debts);
  const txid = shownTxid(context, sent);
  if (sent.to !== undefined) demandReason(context, sent.reason);
  const amounts_raw = amountsOf(context, sent, new Set([...ways.keys(), ...amountOf(named)]));
  const { to, amount_raw, ...trust } = await recordable(context, sent, amounts_raw, async () => ({
    escrow_address: order.escrow_address,
    to: [demandAccount(context, sent.to ?? line.to)],
  }));
  const paid =
    named?.amount_raw === amount_raw ? [named] : line.debts.slice(0, ways.get(amount_raw));
  const isRedirected = to !== null && line.to !== null && to !== line.to;

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown(context);
    const sending = { currency, txid, to, amount_raw, isRedirected, ...trust };
    await bookRefund(tx, context, locked, { at: clock.now(), paid, sending });
  });
}

/** A refund as it is booked. */
interface Refunded {
  readonly at: Seconds;
  readonly paid: readonly OpenDebt[];
  readonly sending: {
    readonly currency: Currency;
    readonly txid: string;
    readonly to: string | null;
    readonly amount_raw: string;
    readonly isRedirected: boolean;
    readonly checked: 0 | 1;
    readonly reason: string | null;
  };
}

/** Debts of an order are paid with one transfer. */
export async function bookRefund(
  tx: Tx,
  context: Refusing,
  locked: sql.OrderRow,
  { at, paid, sending }: Refunded,
): Promise<void> {
  const { id: order_id } = locked;
  const { isRedirected, ...sent } = sending;
  const { currency, checked } = sent;
  const debts = settled(locked, paid);
  const use = `refund/${order_id}/${debts.n}` as const;
  await takeTransfer(tx, [transferKey(sent.txid)], use);
  const isLast = locked.state === "refund_due" && (await isLastOf(tx, order_id, paid));
  const refunded = {
    order_id,
    ...debts,
    ...sent,
    ...(isRedirected && { redirected: 1 as const }),
    ...(isLast && { ends: 1 as const }),
  };
  if ((await enact(tx, rows.refund, refunded, at)) === undefined) return refuseDebt(context);
  await recheckLater(tx, use, { order_id, currency, checked, at });
  if (isLast) await change(tx, locked, { state: "refunded", state_since: at });
}

/** Whether an order owes nothing but dust once some of its debts are paid. */
async function isLastOf(tx: Tx, order_id: number, paid: readonly OpenDebt[]): Promise<boolean> {
  const open = await openDebtsOf.all(tx, { order_id });
  return isAllButDust(open.filter(({ n }) => paid.every((each) => each.n !== n)));
}

/** The line that the operator means. Rejects one that was edited. */
async function lineOf(context: Needs, { order_id, n }: SentBack): Promise<DebtLine> {
  const { snapshot, reject } = context;
  const lines = await snapshot((read) => debtLines(context, read, order_id));
  const line = n === undefined ? lines[0] : lines.find(({ debts }) => debts.some((d) => d.n === n));
  if (line === undefined) return refuseDebt({ reject });
  return line.edited ? refuseEditedDebt({ reject }) : line;
}

const amountOf = (debt: OpenDebt | undefined): string[] =>
  debt === undefined ? [] : [debt.amount_raw];

/** The operator's amount, or all that are right. */
function amountsOf(
  context: Needs,
  { amount_raw }: SentBack,
  right: ReadonlySet<string>,
): readonly string[] {
  if (amount_raw === undefined) return [...right];
  if (right.has(amount_raw)) return [amount_raw];
  return refuseAmount(context);
}

const refuseDebt = ({ reject }: Refusing): never =>
  reject("validation_failed", "The order has no such open debt.", [
    { field: "n", problem: "is no open debt of this order" },
  ]);
