import type { PublicKey } from "../../kernel/nano.ts";
import { RAW_PER_XNO } from "../../kernel/nano.ts";
import { blockHash, type StateBlock, signed, ZERO } from "../block.ts";
import { type DevAccount, devAccountNamed } from "./keys.ts";
import { BlockRefused, type DevBlock, type DevLedger, type SignedState } from "./ledger.ts";

const FAUCET_RAW = 1_000_000n * RAW_PER_XNO;
const GENESIS_RAW = 2n ** 128n - 1n;

const signedBy = (block: StateBlock, { privateKey }: DevAccount): SignedState => ({
  ...block,
  signature: signed(blockHash(block), privateKey),
});

const genesisAccount = (): DevAccount => {
  const account = devAccountNamed("genesis");
  if (account === undefined) throw new Error("The dev chain has a first account.");
  return account;
};

/** The first block: everything belongs to account 0, which represents itself. */
export function devGenesis(): SignedState {
  const account = genesisAccount();
  const { key } = account;
  return signedBy(
    {
      type: "state",
      account: key,
      previous: ZERO,
      representative: key,
      balance: GENESIS_RAW,
      link: key,
    },
    account,
  );
}

/** Makes and signs blocks with the keys that everybody knows. */
export interface DevWallet {
  /** A send. A faucet is filled before its first, and whatever waits for the sender is received. */
  send(from: DevAccount, to: PublicKey, amountRaw: bigint): DevBlock;
  /** Receives all that waits for an account. */
  receive(account: DevAccount): readonly DevBlock[];
}

/** `keep` is called with every accepted block. */
export function devWallet(ledger: DevLedger, save: (block: SignedState) => void): DevWallet {
  const bank = genesisAccount();

  function extend(by: DevAccount, balance: bigint, link: string): DevBlock {
    const previous = ledger.chainOf(by.key).at(-1)?.hash ?? ZERO;
    const fields = { account: by.key, previous, representative: bank.key, balance, link };
    const block = signedBy({ type: "state", ...fields }, by);
    const taken = ledger.process(block);
    save(block);
    return taken;
  }

  const pay = (from: DevAccount, to: PublicKey, amountRaw: bigint) =>
    extend(from, ledger.balanceOf(from.key) - amountRaw, to);

  function receive(account: DevAccount): readonly DevBlock[] {
    return ledger
      .receivable(account.key)
      .map(({ hash, amountRaw }) =>
        extend(account, ledger.balanceOf(account.key) + amountRaw, hash),
      );
  }

  return {
    receive,
    send(from, to, amountRaw) {
      const isNew = ledger.chainOf(from.key).length === 0;
      if (from.kind === "faucet" && isNew) pay(bank, from.key, FAUCET_RAW);
      receive(from);
      if (amountRaw < 1n || amountRaw > ledger.balanceOf(from.key)) {
        throw new BlockRefused("Insufficient balance");
      }
      return pay(from, to, amountRaw);
    },
  };
}
