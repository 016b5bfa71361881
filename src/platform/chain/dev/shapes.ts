import { type PublicKey, publicKeyOf } from "../../kernel/nano.ts";
import { accountText } from "../account.ts";
import { ZERO } from "../block.ts";
import type { DevBlock, DevLedger, SignedState } from "./ledger.ts";

/** Nodes write an empty list or object as "". */
export const orEmpty = <T extends object>(value: T): T | "" =>
  Object.keys(value).length === 0 ? "" : value;

/** A block as nodes write it. */
export function contentsJson(block: SignedState): Record<string, string> {
  const { account, previous, representative, balance, link, signature } = block;
  return {
    type: "state",
    account: accountText(account),
    previous,
    representative: accountText(representative),
    balance: String(balance),
    link,
    link_as_account: linkText(link),
    signature,
    work: "0000000000000000",
  };
}

const linkText = (link: string): string => {
  const key = publicKeyOf(link);
  return key === null ? "" : accountText(key);
};

/** The other account of a transfer. */
function counterparty(ledger: DevLedger, { block, subtype }: DevBlock): PublicKey | null {
  if (subtype === "send") return publicKeyOf(block.link);
  return ledger.block(block.link)?.block.account ?? null;
}

/** One block of `blocks_info`, with all that can be asked for. */
export function blockJson(ledger: DevLedger, entry: DevBlock) {
  const { hash, block, subtype, amountRaw, height } = entry;
  const sender = subtype === "send" ? null : counterparty(ledger, entry);
  const next = ledger.chainOf(block.account)[height]; // Heights begin with 1.
  return {
    block_account: accountText(block.account),
    amount: String(amountRaw),
    balance: String(block.balance),
    height: String(height),
    successor: next?.hash ?? ZERO,
    confirmed: String(ledger.isConfirmed(hash)),
    contents: contentsJson(block),
    subtype,
    receive_hash: ledger.receiveOf(hash)?.hash ?? ZERO,
    source_account: sender === null ? "0" : accountText(sender),
  };
}

/** One block of `account_history` with `raw`. */
export function historyJson(ledger: DevLedger, entry: DevBlock): Record<string, string> {
  const { hash, block, subtype, amountRaw, height } = entry;
  const { link_as_account, ...contents } = contentsJson(block);
  const other = counterparty(ledger, entry);
  return {
    ...contents,
    subtype: subtype === "open" ? "receive" : subtype,
    account: other === null ? "" : accountText(other),
    amount: String(amountRaw),
    height: String(height),
    hash,
    confirmed: String(ledger.isConfirmed(hash)),
  };
}
