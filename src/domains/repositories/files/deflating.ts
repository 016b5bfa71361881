import { promisify } from "node:util";
import { deflate, deflateSync, inflate, inflateSync } from "node:zlib";

/** Shorter bodies are stored as they are: ids do not compress, and a compressor takes longer to begin. */
const STORED_MAX_BYTES = 96;

/** Longer bodies are deflated and inflated by other threads, whose jobs cost more than a short body takes. */
const SHORT_MAX_BYTES = 4_096;

/** For a short body: its window holds all of it, and takes a tenth of the usual memory. */
const SHORT = { windowBits: 12, memLevel: 5, chunkSize: SHORT_MAX_BYTES + 64 };

/** For a long one that nobody else may deflate. */
const FAST = { level: 1 };

/** As git keeps an object: in the format of zlib (RFC 1950). */
export const deflated = async (body: Uint8Array): Promise<Uint8Array> =>
  body.length > SHORT_MAX_BYTES ? promisify(deflate)(body) : deflatedAtOnce(body);

/** The same without another thread. */
export function deflatedAtOnce(body: Uint8Array): Buffer {
  if (body.length <= STORED_MAX_BYTES) return storedZlib(body);
  return deflateSync(body, body.length > SHORT_MAX_BYTES ? FAST : SHORT);
}

/** The bytes of a content that is stored. */
export const inflated = async (stored: Uint8Array): Promise<Buffer> =>
  stored.length > SHORT_MAX_BYTES ? promisify(inflate)(stored) : inflateSync(stored);

const HEAD_BYTES = 7;
const SUM_BYTES = 4;

/** A short body in one stored block (RFC 1951, 3.2.4). */
function storedZlib(body: Uint8Array): Buffer {
  const { length } = body;
  const all = Buffer.allocUnsafe(HEAD_BYTES + length + SUM_BYTES);
  all.writeUInt16BE(0x7801); // No preset dictionary, the fastest level.
  all[2] = 1; // It is the last block, and stored.
  all.writeUInt16LE(length, 3);
  all.writeUInt16LE(length ^ 0xffff, 5);
  all.set(body, HEAD_BYTES);
  all.writeUInt32BE(adler32(body), HEAD_BYTES + length);
  return all;
}

const ADLER_MODULUS = 65_521;

/** The checksum of RFC 1950; of a short body, whose sums need no modulus on the way. */
function adler32(body: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of body) {
    a += byte;
    b += a;
  }
  return (b % ADLER_MODULUS) * 0x1_0000 + (a % ADLER_MODULUS);
}
