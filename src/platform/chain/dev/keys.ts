import { sha256 } from "@noble/hashes/sha2.js";
import type { PublicKey } from "../../kernel/nano.ts";
import { privateKeyOf, publicKeyFor } from "../block.ts";

/** Everybody knows these keys: whatever is on the dev chain is worth nothing. */
const SEED = sha256(new TextEncoder().encode("cairn dev chain v1"));

const NAMED = ["genesis", "project", "escrow"];
const FAUCETS = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"];
const FIRST_FAUCET = 10;

export interface DevAccount {
  readonly name: string;
  /** A faucet has a million XNO as soon as it sends. */
  readonly kind: "own" | "faucet";
  readonly key: PublicKey;
  readonly privateKey: Uint8Array;
}

const accountAt = (name: string, kind: DevAccount["kind"], index: number): DevAccount => {
  const privateKey = privateKeyOf(SEED, index);
  return { name, kind, key: publicKeyFor(privateKey), privateKey };
};

let accounts: readonly DevAccount[] | undefined;

/**
 * The accounts whose keys the dev chain holds: its first, the service's two, and faucets. They are
 * made when somebody asks, because that takes as long as a tenth of a service's start.
 */
export function devAccounts(): readonly DevAccount[] {
  accounts ??= [
    ...NAMED.map((name, i) => accountAt(name, "own", i)),
    ...FAUCETS.map((name, i) => accountAt(name, "faucet", FIRST_FAUCET + i)),
  ];
  return accounts;
}

export const devAccountNamed = (name: string): DevAccount | undefined =>
  devAccounts().find((account) => account.name === name);

export const devAccountOf = (key: PublicKey): DevAccount | undefined =>
  devAccounts().find((account) => account.key === key);
