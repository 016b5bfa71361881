import { accountText } from "../../../platform/chain/account.ts";
import type { ServiceContext } from "../../../platform/context.ts";
import { enact } from "../../../platform/ledger/rows/enact.ts";
import { transferKey } from "../../transfers/rules.ts";
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
  const row = await unmatched.first(read, { txid });
  const owed = await sealedPayment(read, txid);
  if (row === undefined || owed === null || !isOpen(row)) return refuse(context);
  if (settings.escrowKey === null || (await isReturned(read, txid))) return refuse(context);
  const reason = wanted.to === undefined ? null : demandReason(context, wanted.reason);
  const to = demandAccount(context, wanted.to ?? owed.from);
  const { amount_raw } = owed;
  const escrow_address = accountText(settings.escrowKey);
  await demandSend(context, sent_txid, { to: [to], amounts_raw: [amount_raw], escrow_address });
  await write(async (tx) => {
    await takeTransfer(tx, [transferKey(sent_txid)], `unmatched/${txid}`);
    const sent = { txid, sent_txid, to, amount_raw, reason };
    const returned = { ...sent, ...(to !== owed.from && { redirected: 1 as const }) };
    if ((await enact(tx, rows.paymentRefunded, returned, clock.now())) === undefined)
      return refuse(context);
  });
}

const refuse = ({ reject }: Pick<Needs, "reject">): never =>
  reject("validation_failed", "There is no open payment without an order that has this hash.", [
    { field: "payment", problem: "is none that market due lists" },
  ]);
