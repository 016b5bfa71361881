import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { deflatedAtOnce } from "./deflating.ts";
import { type GitType, TYPES } from "./git-objects.ts";
import type { Step } from "./slices.ts";

/** A pack is closed by so many commits at the latest. */
export const PACK_COMMITS_MAX = 256;

/** Objects of git as a pack has them, one behind the other. */
export interface Objects {
  /** Heads and deflated bodies of all objects. */
  readonly bytes: Buffer;
  /** The ids, 20 bytes of each. */
  readonly ids: Buffer;
  /** Where each object begins in `bytes`, and at the end their length. */
  readonly starts: Uint32Array;
}

/** Gathers objects, each once. */
export interface Gathering {
  has(id: string): boolean;
  /** `deflated`: unless given, it is deflated here. */
  add(id: string, type: GitType, body: Body): void;
  count(): number;
  finish(): Objects;
}

type Body = { readonly body: Buffer } | { readonly bytes: number; readonly deflated: Uint8Array };

/** `id`s are 20 bytes in latin1. */
export function gathering(): Gathering {
  const known = new Set<string>();
  const starts = [0];
  // One buffer that grows: a small one for each object would take many times its size.
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;

  function makeRoom(more: number): void {
    if (length + more <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length + more, bytes.length * 2));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }

  return {
    has: (id) => known.has(id),
    add(id, type, of) {
      if (known.has(id)) return;
      known.add(id);
      const size = "body" in of ? of.body.length : of.bytes;
      const body = "body" in of ? deflatedAtOnce(of.body) : of.deflated;
      makeRoom(HEAD_MAX_BYTES + body.length);
      length = writeHead(bytes, length, { type: TYPES[type], size });
      bytes.set(body, length);
      length += body.length;
      starts.push(length);
    },
    count: () => known.size,
    finish: () => ({
      bytes: Buffer.copyBytesFrom(bytes, 0, length),
      ids: Buffer.from([...known].join(""), "latin1"),
      starts: Uint32Array.from(starts),
    }),
  };
}

const FIRST_BYTES = 64 * 1024;
const HEAD_MAX_BYTES = 10;

const ID_BYTES = 20;
const WORD_BYTES = 4;
const FANS = 256;

/** The id of an object, 20 bytes in latin1. */
const idAt = ({ ids }: Pick<Objects, "ids">, i: number): string =>
  ids.toString("latin1", i * ID_BYTES, (i + 1) * ID_BYTES);

/** Writes the type and the size of an object, four bits of the size first, then seven each; returns where it ends. */
function writeHead(
  into: Buffer,
  from: number,
  { type, size }: { readonly type: number; readonly size: number },
): number {
  let at = from;
  let byte = (type << 4) | (size & 15);
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    into[at++] = byte | 128;
    byte = left & 127;
  }
  into[at++] = byte;
  return at;
}

const VERSION = 2;
const INDEX_MAGIC = 0xff744f63;

/** The head of a pack of so many objects. Its end is the SHA-1 of all before. */
export const packHead = (count: number): Buffer =>
  Buffer.concat([Buffer.from("PACK"), word(VERSION), word(count)]);

/** The first objects of some as a pack (gitformat-pack): each stands for itself, without deltas. */
export function packOf({ bytes, starts }: Objects, count: number): Buffer {
  return summed([packHead(count), bytes.subarray(0, starts[count])]);
}

/** The index of the same pack, of version 2. */
export async function indexOf(objects: Objects, count: number, step: Step): Promise<Buffer> {
  const { bytes, ids, starts } = objects;
  const offset = packHead(count).length;
  const fan = Buffer.alloc(FANS * WORD_BYTES);
  const names = Buffer.allocUnsafe(count * ID_BYTES);
  const sums = Buffer.allocUnsafe(count * WORD_BYTES);
  const offsets = Buffer.allocUnsafe(count * WORD_BYTES);
  const buckets = Array.from({ length: FANS }, (): number[] => []);
  for (let i = 0; i < count; i++) buckets[ids[i * ID_BYTES] ?? 0]?.push(i);
  let n = 0;
  for (const [first, bucket] of buckets.entries()) {
    const named = bucket.map((i) => ({ i, id: idAt(objects, i) }));
    named.sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const { i, id } of named) {
      const start = starts[i] ?? 0;
      names.write(id, n * ID_BYTES, "latin1");
      sums.writeUInt32BE(crc32(bytes.subarray(start, starts[i + 1])), n * WORD_BYTES);
      offsets.writeUInt32BE(start + offset, n * WORD_BYTES);
      n++;
    }
    fan.writeUInt32BE(n, first * WORD_BYTES);
    await step(bucket.length / 2);
  }
  const pack = packOf(objects, count).subarray(-ID_BYTES);
  return summed([word(INDEX_MAGIC), word(VERSION), fan, names, sums, offsets, pack]);
}

/** Ends with the SHA-1 of all before. */
function summed(pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha1");
  for (const piece of pieces) hash.update(piece);
  return Buffer.concat([...pieces, hash.digest()]);
}

function word(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
