import type { Agent, Context } from "../../context.ts";
import type { Rejects } from "../../kernel/contract/errors.ts";
import { enactSurely } from "../../ledger/rows/enact.ts";
import { sha256Hex } from "../../ledger/sha256.ts";
import type { Currency } from "../../transfers/rules.ts";
import { sellerRaw } from "../amounts.ts";
import { openDebtsOf } from "../audit/commitment-queries.ts";
import { refuseEditedOrder } from "../audit/commitments.ts";
import * as entries from "../entries.ts";
import { findOwnOrder } from "../orders/orders.ts";
import { refuseState } from "../orders/parties.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { sumOf } from "./debt-lines.ts";
import { bookRefund } from "./refunds.ts";
import { bookPayout } from "./settlements.ts";

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
  const { write, clock, agent, reject } = context;
  const { order_id, debts, amount_raw, currency } = said;
  const { order, role } = await findOwnOrder(context, order_id);
  await refuseEditedOrder(context, order);
  const isSeller = debts === "payout";
  if (isSeller !== (role === "seller"))
    return reject("wrong_role", "Only the creditor of a debt can say that it was paid.");
  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) throw new Error("An order has gone.");
    const at = clock.now();
    const n = Number((await sql.countHistory.first(tx, { order_id, kind: KIND }))?.n ?? 0) + 1;
    const txid = said.txid ?? `settled/${order_id}/${n}`;
    const txid_sha256 = said.txid === undefined ? undefined : sha256Hex(said.txid);
    const word = {
      order_id,
      n,
      agent: agent.agent_id,
      debts,
      amount_raw,
      currency,
      txid_sha256,
    };
    const trust = { checked: 0, reason: null } as const;
    const sending = { currency, txid, to: null, amount_raw, ...trust };
    if (isSeller) {
      if (locked.state !== "released") return refuseState(context, locked.state);
      if (amount_raw !== String(sellerRaw(locked))) return refuseSum(context);
      await enactSurely(tx, rows.debtSettled, word, at);
      return bookPayout(tx, locked, at, sending);
    }
    const open = await openDebtsOf.all(tx, { order_id });
    const numbers = debts.split(",");
    const paid = numbers.flatMap((each) => open.filter((debt) => `${debt.n}` === each));
    const isEach = new Set(numbers).size === paid.length && numbers.length === paid.length;
    const isAll = isEach && String(sumOf(paid)) === amount_raw;
    if (!isAll) return refuseSum(context);
    await enactSurely(tx, rows.debtSettled, word, at);
    return bookRefund(tx, context, locked, {
      at,
      paid,
      sending: { ...sending, isRedirected: false },
    });
  });
}

const { kind: KIND } = entries.debtSettled;

const refuseSum = ({ reject }: Rejects<never>): never =>
  reject("validation_failed", "Name debts of yours that are open, and what they come to.", [
    { field: "amount_raw", problem: "must be the sum of these debts" },
  ]);
