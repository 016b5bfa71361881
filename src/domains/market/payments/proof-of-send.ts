import { accountKey, accountText } from "../../../platform/chain/account.ts";
import {
  type ChainAdapter,
  ChainInconsistent,
  ChainUnavailable,
  type FoundSend,
  type Lookup,
} from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import type { PublicKey } from "../../../platform/kernel/nano.ts";
import { type Currency, hashOf, transferKey } from "../../transfers/rules.ts";

/** Nobody gives up: the chain itself ends what takes too long. */
export const PATIENTLY = new AbortController().signal;

/** A transfer as the operator names it. */
export interface NamedTransfer {
  readonly currency: Currency;
  readonly txid: string;
}

type Refusing = Rejects<"chain_unavailable" | "transaction_not_found" | "transaction_unconfirmed">;
type Needs = Pick<Context, "chain" | "settings"> & Refusing;

/**
 * The shown form of a transaction id: of XNO the hash in upper case, the chain's own notation; of another
 * currency any text, and 64 hex characters in lower case.
 */
export function shownTxid(context: Rejects<never>, { currency, txid }: NamedTransfer): string {
  if (currency !== "xno")
    return txid.trim() === "" ? refuseTxid(context, "must not be blank") : transferKey(txid);
  const hash = hashOf(txid);
  if (hash === null) return refuseTxid(context, "must be 64 hex characters, not all of them 0");
  return hash.toUpperCase();
}

/** What the operator was to send. */
export interface WantedSend {
  /** The account of the order's invoice. */
  readonly escrow_address: string;
  /** The accounts, any of which is right. */
  readonly to: readonly string[];
  /** The amounts, any of which is right. */
  readonly amounts_raw: readonly string[];
}

type Sent = Extract<FoundSend, { readonly kind: "sent" }>;

/**
 * A transfer, if the chain shows it as the one that is owed: from the account of the invoice or
 * from the one that is in use now. Rejects otherwise: with `chain_unavailable` when nothing can be believed.
 */
export async function demandSend(context: Needs, hash: string, wanted: WantedSend): Promise<Sent> {
  const from = escrowKeys(context, wanted.escrow_address);
  const found = await ask(context, (chain, signal) => chain.findSend(hash, from, signal));
  if (found.kind === "unconfirmed") return refuseUnconfirmed(context);
  if (found.kind === "not_found") return refuseUnfound(context);
  if (isWanted(found, wanted)) return found;
  return refuseTxid(context, "is not the transfer that is owed: sender, receiver or amount differ");
}

/** Whether a block of the escrow account is the transfer that is owed. */
export const isWanted = (
  found: FoundSend,
  { to, amounts_raw }: Omit<WantedSend, "escrow_address">,
): found is Sent =>
  found.kind === "sent" && amounts_raw.includes(String(found.amountRaw)) && to.includes(found.to);

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
  if (answer.kind === "unconfirmed") return refuseUnconfirmed(context);
  if (answer.kind === "not_found") return refuseUnfound(context);
  return refuseTxid(context, "brought nothing to the escrow account");
}

/** The accounts that an order may be paid to and from: that of its invoice, and the one in use now. */
export function escrowKeys(
  { settings, reject }: Pick<Context, "settings" | "reject">,
  escrow_address: string,
): readonly PublicKey[] {
  const keys = new Set([accountKey(escrow_address) ?? refuseAccount({ reject })]);
  return [...(settings.escrowKey === null ? keys : keys.add(settings.escrowKey))];
}

/** The one notation of an account that the operator names. */
export function demandAccount(context: Rejects<never>, text: string | null): string {
  const key = text === null ? null : accountKey(text);
  return key === null ? refuseAccount(context) : accountText(key);
}

const refuseAccount = ({ reject }: Rejects<never>): never =>
  reject("validation_failed", "Name the Nano account that the money went to.", [
    { field: "to", problem: "must be a Nano account with a right checksum" },
  ]);

async function ask<T>(
  { chain, reject }: Needs,
  question: (chain: ChainAdapter, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (chain === null) return refuseSilence(reject);
  return question(chain, PATIENTLY).catch((error: unknown) => {
    if (error instanceof ChainUnavailable) return refuseSilence(reject, error.retryAfterS);
    if (error instanceof ChainInconsistent) return refuseSilence(reject);
    throw error;
  });
}

function refuseSilence(reject: Refusing["reject"], retryAfter_s?: number): never {
  const message = "No Nano node gave an answer that can be believed. Nothing was recorded.";
  return reject("chain_unavailable", message, undefined, retryAfter_s);
}

const refuseUnfound = ({ reject }: Refusing): never =>
  reject(
    "transaction_not_found",
    "The chain does not know this transaction. Nothing was recorded.",
  );

const refuseUnconfirmed = ({ reject }: Refusing): never =>
  reject(
    "transaction_unconfirmed",
    "The chain has not confirmed this transaction yet. Nothing was recorded.",
  );

const refuseTxid = ({ reject }: Rejects<never>, problem: string): never =>
  reject("validation_failed", "This transaction cannot be recorded here.", [
    { field: "txid", problem },
  ]);
