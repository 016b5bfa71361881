import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type GitType, TYPES } from "./git-objects.ts";

/** An object as a pack holds it. */
export interface Packed {
  readonly id: string;
  readonly type: GitType;
  /** Of the object itself. */
  readonly bytes: number;
  readonly deflated: Uint8Array;
}

/** A pack of git and its index, both of version 2 (gitformat-pack). */
export interface Pack {
  readonly pack: Buffer;
  readonly index: Buffer;
}

const VERSION = 2;
const INDEX_MAGIC = 0xff744f63;

/** Without deltas: each object stands for itself, so a reader that has a part needs no other. */
export function packOf(objects: readonly Packed[]): Pack {
  const head = Buffer.concat([Buffer.from("PACK"), word(VERSION), word(objects.length)]);
  const pieces: Uint8Array[] = [head];
  const places: { readonly id: string; readonly offset: number; readonly crc: number }[] = [];
  let offset = head.length;
  for (const { id, type, bytes, deflated } of objects) {
    const start = startOf(TYPES[type], bytes);
    places.push({ id, offset, crc: crc32(deflated, crc32(start)) });
    pieces.push(start, deflated);
    offset += start.length + deflated.length;
  }
  const { all: pack, sum } = summed(pieces);
  return { pack, index: indexOf(places, sum) };
}

function indexOf(
  places: { readonly id: string; readonly offset: number; readonly crc: number }[],
  packSum: Buffer,
): Buffer {
  places.sort((a, b) => (a.id < b.id ? -1 : 1));
  const fan = new Uint32Array(256);
  for (const { id } of places) {
    const first = Number.parseInt(id.slice(0, 2), 16);
    fan[first] = (fan[first] ?? 0) + 1;
  }
  let below = 0;
  const fans = Array.from(fan, (n) => {
    below += n;
    return word(below);
  });
  return summed([
    ...[word(INDEX_MAGIC), word(VERSION), ...fans],
    ...places.map(({ id }) => Buffer.from(id, "hex")),
    ...places.map(({ crc }) => word(crc)),
    ...places.map(({ offset }) => word(offset)),
    packSum,
  ]).all;
}

/** Ends with the SHA-1 of all before. */
function summed(pieces: readonly Uint8Array[]): { readonly all: Buffer; readonly sum: Buffer } {
  const hash = createHash("sha1");
  for (const piece of pieces) hash.update(piece);
  const sum = hash.digest();
  return { all: Buffer.concat([...pieces, sum]), sum };
}

function word(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The type and the size of an object: four bits of the size first, then seven each. */
function startOf(type: number, bytes: number): Uint8Array {
  const start: number[] = [];
  let byte = (type << 4) | (bytes & 15);
  for (let left = Math.floor(bytes / 16); left > 0; left = Math.floor(left / 128)) {
    start.push(byte | 128);
    byte = left & 127;
  }
  return Uint8Array.from([...start, byte]);
}
