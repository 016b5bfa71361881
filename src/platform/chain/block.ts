import { eddsa } from "@noble/curves/abstract/edwards.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { type PublicKey, publicKeyOf } from "../kernel/nano.ts";

/** Hashes and links are 64 characters of upper-case hex, a signature has 128. */
export interface StateBlock {
  readonly type: "state";
  readonly account: PublicKey;
  readonly previous: string;
  readonly representative: PublicKey;
  readonly balance: bigint;
  /** The target's key of a send, the source's hash of a receive, zero of a change. */
  readonly link: string;
}

/** The four kinds of block before state blocks; only an open names its account. */
type LegacyBlock =
  | {
      readonly type: "send";
      readonly previous: string;
      readonly destination: PublicKey;
      readonly balance: bigint;
    }
  | { readonly type: "receive"; readonly previous: string; readonly source: string }
  | {
      readonly type: "open";
      readonly source: string;
      readonly representative: PublicKey;
      readonly account: PublicKey;
    }
  | { readonly type: "change"; readonly previous: string; readonly representative: PublicKey };

export type Block = StateBlock | LegacyBlock;

export const ZERO = "0".repeat(64);

const HASH_BYTES = 32;
const BALANCE_DIGITS = 32;
/** 32 bytes that distinguish a state block from the older kinds. */
const STATE_PREAMBLE = `${"0".repeat(63)}6`;

/** An epoch block's link: it upgrades an account, moves no value, and another key has signed it. */
const EPOCH_LINKS: ReadonlySet<string> = new Set(
  ["epoch v1 block", "epoch v2 block"].map((text) =>
    new TextEncoder().encode(text).toHex().toUpperCase().padEnd(64, "0"),
  ),
);

export const isEpoch = (block: Block): boolean =>
  block.type === "state" && EPOCH_LINKS.has(block.link);

/** BLAKE2b-256 over the fields that the chain hashes, in upper-case hex. */
export function blockHash(block: Block): string {
  const bytes = Uint8Array.fromHex(hashed(block).join(""));
  return blake2b(bytes, { dkLen: HASH_BYTES }).toHex().toUpperCase();
}

function hashed(block: Block): readonly string[] {
  switch (block.type) {
    case "state": {
      const { account, previous, representative, balance, link } = block;
      return [STATE_PREAMBLE, account, previous, representative, balanceHex(balance), link];
    }
    case "send":
      return [block.previous, block.destination, balanceHex(block.balance)];
    case "receive":
      return [block.previous, block.source];
    case "open":
      return [block.source, block.representative, block.account];
    case "change":
      return [block.previous, block.representative];
  }
}

const balanceHex = (balance: bigint): string => balance.toString(16).padStart(BALANCE_DIGITS, "0");

const blake2b512 = Object.assign((message: Uint8Array) => blake2b(message, { dkLen: 64 }), {
  outputLen: 64,
  blockLen: 128,
  canXOF: false,
  create: () => blake2b.create({ dkLen: 64 }),
});

/** Ed25519 (RFC 8032) with BLAKE2b-512 in place of SHA-512. Its `verify` has other rules than the network: see `isSigned`. */
export const nanoEd25519 = eddsa(ed25519.Point, blake2b512, {
  adjustScalarBytes(bytes: Uint8Array) {
    bytes[0] = (bytes[0] ?? 0) & 248;
    bytes[31] = ((bytes[31] ?? 0) & 127) | 64;
    return bytes;
  },
});

const { BASE, Fn } = ed25519.Point;
const POINT_BYTES = 32;
/** The network's only bound on S, which it then reduces: S is below 2^253. */
const S_HIGH_BITS = 0xe0;

/**
 * Whether the network takes this signature of `key` for the block with this hash. The rule is the
 * one of the network's nodes, and RFC 8032 differs: S may be the group's order or more, a key may
 * have a small order or another encoding, R is compared as bytes, and the cofactor is left out. A
 * block is in the chain or not by this rule alone. The zero key owns nothing. About 0.7 ms.
 */
export function isSigned(hash: string, signature: string, key: PublicKey): boolean {
  const bytes = Uint8Array.fromHex(signature);
  const highest = bytes.at(-1);
  if (highest === undefined || (highest & S_HIGH_BITS) !== 0 || key === ZERO) return false;
  const point = pointOf(key);
  if (point === null) return false;
  const r = signature.slice(0, 2 * POINT_BYTES).toUpperCase();
  const challenge = scalarOf(blake2b512(Uint8Array.fromHex(r + key + hash)));
  const expected = BASE.multiplyUnsafe(scalarOf(bytes.subarray(POINT_BYTES))).subtract(
    point.multiplyUnsafe(challenge),
  );
  return expected.toHex().toUpperCase() === r;
}

/** The point that a key names in any encoding that ZIP 215 takes, as the network does; null without one. */
function pointOf(key: PublicKey) {
  try {
    return ed25519.Point.fromBytes(Uint8Array.fromHex(key), true);
  } catch {
    return null;
  }
}

const scalarOf = (littleEndian: Uint8Array): bigint =>
  BigInt(`0x${littleEndian.toReversed().toHex()}`) % Fn.ORDER;

/** The signature of a block by the owner of a private key; only the dev chain has one. */
export const signed = (hash: string, privateKey: Uint8Array): string =>
  nanoEd25519.sign(Uint8Array.fromHex(hash), privateKey).toHex().toUpperCase();

const INDEX_BYTES = 4;

/** The private key of a wallet's account: BLAKE2b-256 of the seed and the account's number. */
export function privateKeyOf(seed: Uint8Array, index: number): Uint8Array {
  const message = new Uint8Array(seed.length + INDEX_BYTES);
  message.set(seed);
  new DataView(message.buffer).setUint32(seed.length, index);
  return blake2b(message, { dkLen: HASH_BYTES });
}

/** The account of a private key. */
export function publicKeyFor(privateKey: Uint8Array): PublicKey {
  const key = publicKeyOf(nanoEd25519.getPublicKey(privateKey).toHex());
  if (key === null) throw new Error("A public key has 32 bytes.");
  return key;
}
