import { accountKey } from "../chain/account.ts";
import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type Lookup,
  type SendCheck,
} from "../chain/adapter.ts";
import type { Context } from "../context.ts";
import { Rejection, reject } from "../kernel/errors.ts";
import type { PublicKey } from "../kernel/nano.ts";
import { type Currency, hashOf } from "../transfers/rules.ts";

const PROOF_MAX_MS = 8_000;

/** A transfer as the operator names it. */
export interface NamedTransfer {
  readonly currency: Currency;
  readonly txid: string;
}

type Needs = Pick<Context, "chain" | "settings">;

/** The shown form of a transaction id: of XNO the hash in upper case, the chain's own notation. */
export function shownTxid({ currency, txid }: NamedTransfer): string {
  if (currency === "other") return txid.trim() === "" ? refuseTxid("must not be blank") : txid;
  const hash = hashOf(txid);
  if (hash === null) return refuseTxid("must be 64 hex characters, not all of them 0");
  return currency === "xno" ? hash.toUpperCase() : hash;
}

interface WantedSend {
  /** The account of the order's invoice. */
  readonly escrow_address: string;
  readonly to: string;
  readonly amount_raw: bigint;
}

/**
 * Whether the chain shows exactly this transfer, from the account of the invoice or from the one
 * that is in use now. Rejects unless it does.
 */
export async function demandSend(
  context: Needs,
  hash: string,
  { escrow_address, to, amount_raw: amountRaw }: WantedSend,
): Promise<void> {
  const target = keyOf(to);
  let answer: SendCheck = { kind: "not_found" };
  for (const from of escrowKeys(context, escrow_address)) {
    answer = await ask(context, (chain, signal) =>
      chain.verifySend(hash, { from, to: target, amountRaw }, signal),
    );
    if (answer.kind !== "mismatch" || answer.what !== "from") break;
  }
  if (answer.kind === "ok") return;
  if (answer.kind === "unconfirmed") refuseUnconfirmed();
  if (answer.kind === "not_found") refuseUnfound();
  refuseTxid("is not the transfer that is owed: sender, receiver or amount differ");
}

/** The transfer to the account of the invoice, or to the one that is in use now. Rejects unless it is confirmed. */
export async function demandPayment(
  context: Needs,
  hash: string,
  escrow_address: string,
): Promise<Extract<Lookup, { readonly kind: "credited" }>> {
  let answer: Lookup = { kind: "not_found" };
  for (const account of escrowKeys(context, escrow_address)) {
    answer = await ask(context, (chain, signal) => chain.lookup(hash, account, signal));
    if (answer.kind !== "not_to_account") break;
  }
  if (answer.kind === "credited") return answer;
  if (answer.kind === "unconfirmed") return refuseUnconfirmed();
  if (answer.kind === "not_found") return refuseUnfound();
  return refuseTxid("brought nothing to the escrow account");
}

function escrowKeys({ settings }: Needs, escrow_address: string): ReadonlySet<PublicKey> {
  const keys = new Set([keyOf(escrow_address)]);
  return settings.escrowKey === null ? keys : keys.add(settings.escrowKey);
}

function keyOf(account: string): PublicKey {
  const key = accountKey(account);
  if (key !== null) return key;
  return reject("validation_failed", "Name a Nano account.", [
    { field: "to", problem: "must be a Nano account with a right checksum" },
  ]);
}

async function ask<T>(
  { chain }: Needs,
  question: (chain: ChainAdapter, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (chain === null) return refuseSilence();
  return question(chain, AbortSignal.timeout(PROOF_MAX_MS)).catch((error: unknown) => {
    if (error instanceof ChainUnavailable) return refuseSilence(error.retryAfterS);
    if (error instanceof ChainInconsistent) return refuseSilence();
    throw error;
  });
}

function refuseSilence(retryAfter_s?: number): never {
  const message = "No Nano node gave an answer that can be believed. Nothing was recorded.";
  throw new Rejection("chain_unavailable", message, undefined, retryAfter_s);
}

const refuseUnfound = (): never =>
  reject(
    "transaction_not_found",
    "The chain does not know this transaction. Nothing was recorded.",
  );

const refuseUnconfirmed = (): never =>
  reject(
    "transaction_unconfirmed",
    "The chain has not confirmed this transaction yet. Nothing was recorded.",
  );

const refuseTxid = (problem: string): never =>
  reject("validation_failed", "This transaction cannot be recorded here.", [
    { field: "txid", problem },
  ]);
