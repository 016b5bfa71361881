import { accountText } from "../../../platform/chain/account.ts";
import type { ServiceContext } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { refuse } from "../../../platform/ledger/decide.ts";
import { enactAllowed } from "../../../platform/ledger/rows/enact-allowed.ts";
import { transferKey } from "../../transfers/rules.ts";
import { paymentRefunded } from "../ledger.ts";
import { demandReason } from "../orders/operator.ts";
import { takeTransfer } from "../payments/payments.ts";
import { demandAccount, demandSend, shownTxid } from "../payments/proof-of-send.ts";
import { unmatched } from "../payments/queries.ts";
import { isOpen, isReturned, sealedPayment } from "../payments/unmatched.ts";
import { rows } from "../rows.ts";

type Needs = Pick<ServiceContext, "read" | "write" | "clock" | "chain" | "settings" | "reject">;

interface Returned {
  /** The hash of the payment. */
  readonly payment: string;
  /** That of the transfer which sent it back. */
  readonly txid: string;
  /** Instead of its sender; needs a reason. */
  readonly to?: string | undefined;
  readonly reason?: string | undefined;
}

/** Records that a payment without an order went back to its sender; the chain must show it. */
export async function returnUnmatched(context: Needs, wanted: Returned): Promise<void> {
  const { read, write, clock, settings } = context;
  const hashOf = (txid: string) => shownTxid(context, { currency: "xno", txid });
  const txid = hashOf(wanted.payment);
  const sent_txid = hashOf(wanted.txid);
  const owed = await openPayment(read, txid);
  if (owed === undefined || settings.escrowKey === null)
    return refuse(context, paymentRefunded.refuses.none);
  const reason = wanted.to === undefined ? null : demandReason(context, wanted.reason);
  const to = demandAccount(context, wanted.to ?? owed.from);
  const { amount_raw } = owed;
  const escrow_address = accountText(settings.escrowKey);
  await demandSend(context, sent_txid, { to: [to], amounts_raw: [amount_raw], escrow_address });
  await write(async (tx) => {
    await takeTransfer(tx, [transferKey(sent_txid)], `unmatched/${txid}`);
    const sent = { txid, sent_txid, to, amount_raw, reason };
    await enactAllowed(context, tx, [paymentRefunded, rows.paymentRefunded], {
      before: await openPayment(tx, txid),
      given: { ...sent, ...(to !== owed.from && { redirected: 1 as const }) },
      now: clock.now(),
    });
  });
}

/** A payment without an order that is owed to its sender, as the ledger has it. */
async function openPayment(db: Db, txid: string) {
  const row = await unmatched.first(db, { txid });
  const sealed = await sealedPayment(db, txid);
  if (row === undefined || sealed === null || !isOpen(row)) return undefined;
  return (await isReturned(db, txid)) ? undefined : sealed;
}
