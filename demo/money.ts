import { resolveOrder } from "../src/domains/market/orders/operator.ts";
import { listDue } from "../src/domains/market/payouts/payables.ts";
import { recordRefund } from "../src/domains/market/payouts/refunds.ts";
import { recordPayout } from "../src/domains/market/payouts/settlements.ts";
import { accountKey } from "../src/platform/chain/account.ts";
import { type DevAccount, devAccountNamed } from "../src/platform/chain/dev/keys.ts";
import type { PublicKey } from "../src/platform/kernel/nano.ts";
import type { Place } from "./place.ts";

const LIST_MAX = 100;

/** Sends XNO on the dev chain, which confirms it at once; the hash. */
export function pay(
  place: Place,
  from: DevAccount,
  to: "project" | "escrow",
  amount_raw: bigint,
): string {
  return send(place, from, named(to).key, amount_raw);
}

function send({ service }: Place, from: DevAccount, to: PublicKey, amount_raw: bigint): string {
  const { dev } = service.chain;
  if (dev === null) throw new Error("The demo runs on the dev chain.");
  const { hash } = dev.wallet.send(from, to, amount_raw);
  for (const block of dev.ledger.chainOf(from.key)) dev.ledger.confirm(block.hash);
  return hash;
}

function named(name: string): DevAccount {
  const account = devAccountNamed(name);
  if (account === undefined) throw new Error(`The dev chain has no ${name}.`);
  return account;
}

/** The operator decides what buyers have disputed, for one side or the other; sentences about it. */
export async function decideDisputes({ service: { context } }: Place): Promise<string[]> {
  const { disputes } = await listDue(context, LIST_MAX);
  const lines: string[] = [];
  for (const { order_id } of disputes) {
    const outcome = order_id % 4 === 1 ? "release" : "refund";
    await resolveOrder(context, { order_id, outcome, reason: "Both were heard." });
    lines.push(`the operator decided the dispute about order ${order_id}: ${outcome}`);
  }
  return lines;
}

/** The operator sends what the venue owes, and records it; sentences about it. */
export async function settleDebts(place: Place): Promise<string[]> {
  const { context } = place.service;
  const { payouts, refunds } = await listDue(context, LIST_MAX);
  const lines: string[] = [];
  for (const { order_id, address, amount_raw } of payouts) {
    const to = address === null ? null : accountKey(address);
    if (to === null) continue;
    const txid = send(place, named("escrow"), to, BigInt(amount_raw));
    await recordPayout(context, { order_id, currency: "xno", txid, proof: "checked" });
    lines.push(`the operator paid the seller of order ${order_id}`);
  }
  for (const { order_id, n, to: account, amount_raw, why } of refunds) {
    const to = account === null ? null : accountKey(account);
    if (to === null) continue;
    const txid = send(place, named("escrow"), to, BigInt(amount_raw));
    await recordRefund(context, { order_id, n, currency: "xno", txid, proof: "checked" });
    lines.push(`the operator refunded order ${order_id} (${why})`);
  }
  return lines;
}
