import { baseRaw, splitOf, taggedDue } from "../src/domains/market/amounts.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { micro } from "../src/platform/kernel/money.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { sha256Hex } from "../src/platform/ledger/sha256.ts";
import { dev } from "./chain-service.ts";
import type { Body, History } from "./history.ts";

// Entries of orders as the service would make them, but for what is changed.

export const ESCROW = accountText(dev("escrow").key);
export const PAYER = accountText(dev("alice").key);
const RATE_E8 = 80_000_000n;

let hashes = 0;
export const txid = () => (++hashes).toString(16).toUpperCase().padStart(64, "A");

/** An order of the first offer, with the parts of its price. `base_raw`: another amount than that of its rate. */
export function orderOf(history: History, changed: Body): Body {
  const { base_raw: given, ...more } = changed;
  const of = { order_id: 1, price_usd_micro: 10_000_000, sla_hours: 72, rate: "0.8", ...more };
  const price_usd_micro = Number(of.price_usd_micro);
  const base_raw = `${given ?? baseRaw(micro(price_usd_micro), RATE_E8)}`;
  const tagging = { genesis: history.genesis, id: Number(of.order_id), base_raw };
  const due_raw = taggedDue(tagging, sha256Hex);
  const split = splitOf({ ...tagging, price_usd_micro, due_raw });
  return {
    offer_id: 1,
    escrow: ESCROW,
    rate_source: "static:default",
    fee_usd_micro: Number(split.fee_usd),
    seller_usd_micro: Number(split.seller_receives_usd),
    due_raw: split.due_raw,
    fee_raw: split.fee_raw,
    seller_raw: split.seller_raw,
    expires_at: history.now + HOUR_S,
    ...of,
  };
}

/** A payment that the chain has shown, of the first order. */
export const paymentOf = (amount_raw: bigint | string, changed: Body = {}): Body => ({
  order_id: 1,
  n: 1,
  currency: "xno",
  txid: txid(),
  amount_raw: `${amount_raw}`,
  checked: 1,
  role: "payment",
  from_sha256: sha256Hex(PAYER),
  ...changed,
});
