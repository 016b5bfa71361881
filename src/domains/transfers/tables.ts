import type { Generated } from "kysely";
import type { Proof } from "../../platform/chain/adapter.ts";
import type { PublicKey } from "../../platform/kernel/nano.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Currency } from "./rules.ts";

/** The one thing that a transfer is for; the number of an order's payment, refund or later payout stands last. */
export type TransferUse =
  | `contribution/${number}`
  | `order_payment/${number}/${number}`
  | `payout/${number}`
  | `payout/${number}/${number}`
  | `refund/${number}/${number}`
  | `unmatched/${string}`;

/** Every hash that was ever used; the send and the receive of one transfer are two rows. */
interface ChainTxTable {
  /** See `transferKey`. */
  key: string;
  used_by: TransferUse;
  /** 1 when a chain was asked; a declared use gives way to a checked one. */
  checked: number;
}

/** Checked against a chain when it has a proof, declared otherwise. */
export interface ContributionTable {
  id: Generated<number>;
  agent: number;
  currency: Currency;
  txid: string;
  receive_hash: string | null;
  /** Decimal text in the currency's own unit; null where the reporter named none. */
  amount: string | null;
  amount_raw: string | null;
  /** Null when there is no reference to price it with. */
  usd_micro: number | null;
  rate: string | null;
  rate_source: string | null;
  proof: Proof | null;
  note: string | null;
  created_at: Seconds;
  /** The checked use that took a declared entry's place; the entry counts no more. */
  superseded_by: TransferUse | null;
}

interface RateTable {
  currency: string;
  usd_e8: number | null;
  sampled_at: Seconds | null;
  refused: number;
}

export type Network = "live" | "dev";

/** One row: the network that the first start chose. */
interface ChainNetworkTable {
  id: number;
  network: Network;
}

/** `wallet`: an account from which the operator funds the others. */
export const ACCOUNT_ROLES = ["project", "escrow", "wallet"] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** Every account that was ever the network's own; a row is never removed. */
interface OwnAccountTable {
  key: PublicKey;
  account: string;
  role: AccountRole;
  n: number;
  since: Seconds;
}

export interface TransferTables {
  chain_network: ChainNetworkTable;
  chain_tx: ChainTxTable;
  contribution: ContributionTable;
  own_account: OwnAccountTable;
  rate: RateTable;
}
