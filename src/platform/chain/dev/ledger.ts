import { type PublicKey, publicKeyOf } from "../../kernel/nano.ts";
import { blockHash, isSigned, type StateBlock, ZERO } from "../block.ts";

export type SignedState = StateBlock & { readonly signature: string };

/** A block on the dev chain. */
export interface DevBlock {
  readonly hash: string;
  readonly block: SignedState;
  readonly subtype: "open" | "send" | "receive" | "change";
  readonly amountRaw: bigint;
  /** Its place in its account's chain, from 1 on. */
  readonly height: number;
}

/** The chain refused a block; the message is a node's. */
export class BlockRefused extends Error {}

/** All blocks, in memory. Amounts cannot appear or vanish: every block is checked as the network would. */
export interface DevLedger {
  /** Checks and takes a block. */
  process(block: SignedState): DevBlock;
  block(hash: string): DevBlock | undefined;
  /** An account's blocks, the oldest first. */
  chainOf(account: PublicKey): readonly DevBlock[];
  balanceOf(account: PublicKey): bigint;
  /** Sends to an account that it has not received, the oldest first. */
  receivable(account: PublicKey): readonly DevBlock[];
  /** The block that received a send. */
  receiveOf(sendHash: string): DevBlock | undefined;
  isConfirmed(hash: string): boolean;
  /** Confirms a block at once. */
  confirm(hash: string): void;
  blockCount(): number;
}

export interface DevLedgerParts {
  /** The first block; it is not checked. */
  readonly genesis: SignedState;
  /** From a block's arrival to its confirmation; Infinity is never. */
  readonly confirmAfter_ms: number;
  readonly now_ms: () => number;
}

export function devLedger({ genesis, confirmAfter_ms, now_ms }: DevLedgerParts): DevLedger {
  const blocks = new Map<string, DevBlock>();
  const chains = new Map<PublicKey, DevBlock[]>();
  const waiting = new Map<PublicKey, Map<string, DevBlock>>();
  const receives = new Map<string, DevBlock>();
  const confirmedFrom_ms = new Map<string, number>();

  const chainOf = (account: PublicKey) => chains.get(account) ?? [];
  const balanceOf = (account: PublicKey) => chainOf(account).at(-1)?.block.balance ?? 0n;

  function take(entry: DevBlock): DevBlock {
    const { hash, block, subtype } = entry;
    blocks.set(hash, entry);
    const chain = chains.get(block.account) ?? [];
    chain.push(entry);
    chains.set(block.account, chain);
    confirmedFrom_ms.set(hash, now_ms() + confirmAfter_ms);
    const target = publicKeyOf(block.link);
    if (subtype === "send" && target !== null) {
      waiting.set(target, (waiting.get(target) ?? new Map()).set(hash, entry));
    }
    if (subtype === "receive" || subtype === "open") {
      waiting.get(block.account)?.delete(block.link);
      receives.set(block.link, entry);
    }
    return entry;
  }

  const first = { hash: blockHash(genesis), block: genesis, subtype: "open", height: 1 } as const;
  take({ ...first, amountRaw: genesis.balance });
  confirmedFrom_ms.set(first.hash, 0);

  return {
    process(block) {
      const hash = blockHash(block);
      if (blocks.has(hash)) throw new BlockRefused("Old block");
      if (!isSigned(hash, block.signature, block.account)) throw new BlockRefused("Bad signature");
      const chain = chainOf(block.account);
      const previous = chain.at(-1)?.hash ?? ZERO;
      if (block.previous !== previous) {
        const isKnown = block.previous === ZERO || blocks.has(block.previous);
        throw new BlockRefused(isKnown ? "Fork" : "Gap previous block");
      }
      const gained = block.balance - balanceOf(block.account);
      const sent = waiting.get(block.account)?.get(block.link);
      if (gained > 0n && sent === undefined) throw new BlockRefused("Unreceivable");
      const isRight = gained < 0n || gained === (block.link === ZERO ? 0n : sent?.amountRaw);
      if (!isRight) throw new BlockRefused("Balance and amount delta do not match");
      const height = chain.length + 1;
      if (gained < 0n) return take({ hash, block, subtype: "send", amountRaw: -gained, height });
      if (gained === 0n && chain.length === 0) throw new BlockRefused("Unreceivable");
      const kind = chain.length === 0 ? "open" : "receive";
      return take({
        hash,
        block,
        subtype: gained === 0n ? "change" : kind,
        amountRaw: gained,
        height,
      });
    },
    block: (hash) => blocks.get(hash),
    chainOf,
    balanceOf,
    receivable: (account) => [...(waiting.get(account)?.values() ?? [])],
    receiveOf: (sendHash) => receives.get(sendHash),
    isConfirmed: (hash) => (confirmedFrom_ms.get(hash) ?? Infinity) <= now_ms(),
    confirm: (hash) => void confirmedFrom_ms.set(hash, 0),
    blockCount: () => blocks.size,
  };
}
