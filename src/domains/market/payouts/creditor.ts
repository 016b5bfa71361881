import type { Agent, Context } from "../../../platform/context.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { type Currency, transferKey } from "../../transfers/rules.ts";
import { refuseEditedOrder } from "../audit/commitments.ts";
import { findOwnOrder } from "../orders/orders.ts";
import { countSettlements, refuseStep, takeStep } from "../orders/take-step.ts";
import { takeTransfer } from "../payments/payments.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { numbersIn } from "../steps/debts.ts";
import { debtSettled, refund, refundUse } from "../steps/sending.ts";
import { knowing } from "../steps/step.ts";
import { nextPayout, payoutTo } from "./settlements.ts";

/** What a creditor says: that debts of an order to it were paid in another currency. */
interface Settled {
  readonly order_id: number;
  /** `payout`, or the numbers of refunds: `1,2`. */
  readonly debts: string;
  readonly amount_raw: string;
  readonly currency: Exclude<Currency, "xno">;
  readonly txid?: string | undefined;
}

type Caller = Context & { readonly agent: Agent } & Rejects<
    "order_not_found" | "wrong_role" | "invalid_state" | "already_recorded"
  >;

/** Ends debts by the word of their creditor, and nothing else. */
export async function settleDebts(context: Caller, said: Settled): Promise<void> {
  const { write, clock, agent } = context;
  const { order_id, debts, amount_raw, currency } = said;
  const { order } = await findOwnOrder(context, order_id);
  await refuseEditedOrder(context, order);
  const word = { agent: agent.agent_id, debts, amount_raw };
  await refuseStep(context, { order, now: clock.now() }, debtSettled, word);
  const txid_sha256 = said.txid === undefined ? undefined : sha256Hex(said.txid);
  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) throw new Error("An order has gone.");
    const n = (await countSettlements(tx, order_id)) + 1;
    const txid = said.txid ?? `settled/${order_id}/${n}`;
    const sent = { txid, to: null, checked: 0, reason: null };
    const isPayout = debts === "payout";
    const use = isPayout
      ? await nextPayout(tx, order_id)
      : refundUse(order_id, Math.min(...numbersIn(debts)));
    await takeTransfer(tx, [transferKey(txid)], use);
    const follows = isPayout
      ? ([await payoutTo(tx, locked, null), rows.payout, sent] as const)
      : ([knowing(refund, { to_sha256: undefined }), rows.refund, sent] as const);
    const step = [debtSettled, rows.debtSettled] as const;
    const settled = { ...word, currency, txid_sha256 };
    await takeStep(context, { tx, order: locked, now: clock.now(), follows }, step, settled);
  });
}
