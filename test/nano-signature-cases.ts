import { ed25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";

/** One question to a verifier, in upper-case hex: 32, 64 and 32 bytes. */
export interface SignatureCase {
  readonly key: string;
  readonly signature: string;
  readonly hash: string;
}

const { Fn, BASE, ZERO } = ed25519.Point;
const P = ed25519.Point.Fp.ORDER;
const L = Fn.ORDER;
const SIGN_BIT = 1n << 255n;

/**
 * `count` cases that a seed decides, each at an edge where Ed25519 libraries disagree: keys and R with
 * a part of small order, keys and R in every encoding that a decoder may take, S with multiples of the
 * group's order, and honest signatures with one bit changed.
 */
export function* signatureCases(seed: string, count: number): Generator<SignatureCase> {
  for (let n = 0; n < count; n++) {
    const draw = drawsOf(`${seed}/${n}`);
    yield (n % 4 === 0 ? forged : n % 4 === 1 ? changed : twisted)(draw);
  }
}

/** Numbers from 0 to below `max`, in an order that the name decides. */
type Draw = (max: bigint) => bigint;

function drawsOf(name: string): Draw {
  let n = 0;
  return (max) => number(blake2b(new TextEncoder().encode(`${name}/${n++}`), { dkLen: 64 })) % max;
}

/** A key and an R with parts of small order, and an S that fits all but those parts, or them, too. */
function twisted(draw: Draw): SignatureCase {
  const secret = draw(4n) === 0n ? 0n : draw(L);
  const nonce = draw(3n) === 0n ? 0n : draw(L);
  const keyPart = torsion(draw(8n));
  const key = pick(draw, encodings(pointOf(secret).add(keyPart)));
  const hash = littleEndian(draw(1n << 256n));
  const first = draw(8n);
  const wanted = draw(4n) === 0n ? 1n : 8n;
  let r = key;
  // R is hashed into the challenge, so the part that makes the equation hold is found by trying.
  for (let n = 0n; n < wanted; n++) {
    const part = torsion((first + n) % 8n);
    r = pick(draw, encodings(pointOf(nonce).add(part)));
    if (part.equals(keyPart.multiplyUnsafe(challenge(r, key, hash) % 8n).negate())) break;
  }
  const s = (nonce + challenge(r, key, hash) * secret) % L;
  // 2^253 is where the network's only bound on S lies; L is a little over 2^252.
  return caseOf(key, r, s + L * draw(4n), hash);
}

/** An honest signature with one bit of it, of its key or of its hash changed. */
function changed(draw: Draw): SignatureCase {
  const secret = 1n + draw(L - 1n);
  const nonce = 1n + draw(L - 1n);
  const hash = littleEndian(draw(1n << 256n));
  const parts = [pointOf(secret).toBytes(), pointOf(nonce).toBytes(), hash];
  const [key = hash, r = hash] = parts;
  const s = littleEndian((nonce + challenge(r, key, hash) * secret) % L);
  const bit = Number(draw(1_280n));
  const part = [...parts, s, s][Math.floor(bit / 256)];
  if (part !== undefined && bit < 1_024)
    part[(bit % 256) >> 3] = (part[(bit % 256) >> 3] ?? 0) ^ (1 << (bit & 7));
  return caseOf(key, r, number(s), hash);
}

/** Whatever bytes: nobody's key, no point, small points with small scalars. */
function forged(draw: Draw): SignatureCase {
  const small = () => pick(draw, encodings(torsion(draw(8n))));
  const any = () => littleEndian(draw(1n << 256n));
  const key = draw(4n) === 0n ? any() : small();
  const r = draw(4n) === 0n ? any() : small();
  return caseOf(key, r, draw(2n) === 0n ? draw(9n) : draw(1n << 256n), any());
}

function pointOf(scalar: bigint) {
  return scalar === 0n ? ZERO : BASE.multiplyUnsafe(scalar);
}

const GENERATOR = ed25519.Point.fromHex(
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
);

/** One of the eight points whose order divides 8. */
function torsion(n: bigint) {
  return n === 0n ? ZERO : GENERATOR.multiplyUnsafe(n);
}

/** Every 32 bytes that some decoder reads as this point: y or y + p, x = 0 with either sign. */
function encodings(point: InstanceType<typeof ed25519.Point>): readonly Uint8Array[] {
  const { x, y } = point.toAffine();
  const signs = x === 0n ? [0n, SIGN_BIT] : [(x & 1n) * SIGN_BIT];
  const ys = y + P < SIGN_BIT ? [y, y + P] : [y];
  return ys.flatMap((one) => signs.map((sign) => littleEndian(one | sign)));
}

function challenge(...parts: readonly Uint8Array[]): bigint {
  const message = Uint8Array.fromHex(parts.map((part) => part.toHex()).join(""));
  return number(blake2b(message, { dkLen: 64 })) % L;
}

const pick = (draw: Draw, from: readonly Uint8Array[]): Uint8Array =>
  from[Number(draw(BigInt(from.length)))] ?? new Uint8Array(32);

const number = (bytes: Uint8Array): bigint => BigInt(`0x${bytes.toReversed().toHex()}`);

const littleEndian = (value: bigint): Uint8Array =>
  Uint8Array.fromHex(value.toString(16).padStart(64, "0")).reverse();

function caseOf(key: Uint8Array, r: Uint8Array, s: bigint, hash: Uint8Array): SignatureCase {
  const signature = `${r.toHex()}${littleEndian(s % (1n << 256n)).toHex()}`.toUpperCase();
  return { key: key.toHex().toUpperCase(), signature, hash: hash.toHex().toUpperCase() };
}
