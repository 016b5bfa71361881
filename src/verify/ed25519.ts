import { sha512 } from "@noble/hashes/sha2.js";
import { toHex } from "../platform/kernel/bytes.ts";

/** The field (RFC 8032, 5.1): 2^255 - 19. */
const P = 2n ** 255n - 19n;
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;
const SQRT_M1 = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0n;
const SIGN = 1n << 255n;
const KEY_BYTES = 32;

/** Extended coordinates (RFC 8032, 5.1.4): x = X/Z, y = Y/Z, xy = T/Z. */
interface Point {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;
  readonly T: bigint;
}

const ZERO: Point = { X: 0n, Y: 1n, Z: 1n, T: 0n };

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

function add(p: Point, q: Point): Point {
  const a = mod((p.Y - p.X) * (q.Y - q.X));
  const b = mod((p.Y + p.X) * (q.Y + q.X));
  const c = mod(p.T * q.T * 2n * D);
  const d = mod(p.Z * q.Z * 2n);
  const e = b - a;
  const f = d - c;
  const g = d + c;
  const h = b + a;
  return { X: mod(e * f), Y: mod(g * h), Z: mod(f * g), T: mod(e * h) };
}

const numberOf = (littleEndian: Uint8Array): bigint =>
  BigInt(`0x${toHex(littleEndian.slice().reverse())}`);

/** The point of 32 bytes; null when there is none (RFC 8032, 5.1.3). */
function pointOf(bytes: Uint8Array): Point | null {
  const number = numberOf(bytes);
  const Y = number & (SIGN - 1n);
  if (Y >= P) return null;
  const u = mod(Y * Y - 1n);
  const v = mod(D * Y * Y + 1n);
  const v3 = mod(v * v * v);
  let X = mod(u * v3 * power(mod(u * v3 * v3 * v), (P - 5n) / 8n));
  const found = mod(v * X * X);
  if (found !== u && found !== mod(-u)) return null;
  if (found !== u) X = mod(X * SQRT_M1);
  const isOdd = (number & SIGN) !== 0n;
  if (X === 0n && isOdd) return null;
  if ((X & 1n) !== (isOdd ? 1n : 0n)) X = mod(-X);
  return { X, Y, Z: 1n, T: mod(X * Y) };
}

/** The number whose little-endian bytes encode a point. */
function encoded({ X, Y, Z }: Point): bigint {
  const inverse = power(Z, P - 2n);
  return mod(Y * inverse) | (mod(X * inverse) & 1n ? SIGN : 0n);
}

// The base point: y = 4/5, and its x is even.
const BASE = pointOf(Uint8Array.from({ length: KEY_BYTES }, (_, i) => (i === 0 ? 0x58 : 0x66)));

/**
 * Ed25519 (RFC 8032, 5.1.7) in plain JavaScript, with the equation without the cofactor, as OpenSSL
 * has it. It holds no secret, so its time may depend on what it is given.
 */
export function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = pointOf(publicKey);
  const r = signature.subarray(0, KEY_BYTES);
  const s = numberOf(signature.subarray(KEY_BYTES));
  if (key === null || BASE === null || signature.length !== 2 * KEY_BYTES || s >= L) return false;
  const k = numberOf(sha512(new Uint8Array([...r, ...publicKey, ...message]))) % L;
  const minusKey = { ...key, X: mod(-key.X), T: mod(-key.T) };
  const sums = [ZERO, BASE, minusKey, add(BASE, minusKey)];
  let sum = ZERO;
  for (let bit = 252n; bit >= 0n; bit--) {
    sum = add(sum, sum);
    const chosen = Number((s >> bit) & 1n) + 2 * Number((k >> bit) & 1n);
    if (chosen > 0) sum = add(sum, sums[chosen] ?? ZERO);
  }
  return encoded(sum) === numberOf(r);
}
