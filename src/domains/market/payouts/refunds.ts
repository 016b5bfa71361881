import type { ServiceContext } from "../../../platform/context.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { sha256IfAny } from "../../../platform/ledger/sha256.ts";
import { transferKey } from "../../transfers/rules.ts";
import { refuseEditedDebt, refuseEditedOrder } from "../audit/commitments.ts";
import { demandReason, findOrder, refuseUnknown } from "../orders/operator.ts";
import { refuseUnscanned } from "../orders/restored.ts";
import { takeStep } from "../orders/take-step.ts";
import { takeTransfer } from "../payments/payments.ts";
import { demandAccount, shownTxid } from "../payments/proof-of-send.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { refund, refundUse } from "../steps/sending.ts";
import { knowing } from "../steps/step.ts";
import {
  type DebtLine,
  debtLines,
  numbersOf,
  type OpenDebt,
  settlingAmounts,
} from "./debt-lines.ts";
import { recheckLater, recordable, refuseAmount, refuseForced, type Sent } from "./recordable.ts";

type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "write" | "clock" | "chain" | "settings" | "isProven" | "edited" | "reject"
>;

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
  const { to, amount_raw, checked, reason } = await recordable(
    context,
    sent,
    amounts_raw,
    async () => ({
      escrow_address: order.escrow_address,
      to: [demandAccount(context, sent.to ?? line.to)],
    }),
  );
  const paid =
    named?.amount_raw === amount_raw ? [named] : line.debts.slice(0, ways.get(amount_raw));
  const [{ n } = refuseDebt(context), ...others] = paid;
  const isRedirected = to !== null && line.to !== null && to !== line.to;

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown(context);
    const now = clock.now();
    const use = refundUse(order_id, n);
    await takeTransfer(tx, [transferKey(txid)], use);
    const step = [knowing(refund, { to_sha256: sha256IfAny(to) }), rows.refund] as const;
    const said = {
      n,
      debts: others.length > 0 ? numbersOf(paid) : null,
      ...{ currency, txid, to, amount_raw, checked, reason },
      redirected: isRedirected ? (1 as const) : null,
    };
    await takeStep(context, { tx, order: locked, now }, step, said);
    await recheckLater(tx, use, { order_id, currency, checked, at: now });
  });
}

/** The line that the operator means. Rejects one that was edited. */
async function lineOf(context: Needs, { order_id, n }: SentBack): Promise<DebtLine> {
  const { snapshot } = context;
  const lines = await snapshot((read) => debtLines(context, read, order_id));
  const line = n === undefined ? lines[0] : lines.find(({ debts }) => debts.some((d) => d.n === n));
  if (line === undefined) return refuseDebt(context);
  return line.edited ? refuseEditedDebt(context) : line;
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

const refuseDebt = (context: Pick<Needs, "reject">): never => refuse(context, refund.refuses.open);
