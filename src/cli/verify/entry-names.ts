import { hash, randomBytes } from "node:crypto";

/** Entries whose names are compared; a walk of more stays in the memory that it has by then, 256 MiB. */
const NAMES_MAX = 2 ** 24;

const SLOTS_MIN = 2 ** 12;

/** Whether an entry is the first of its kind and ref. */
export type FirstOfName = (entry: { readonly kind: string; readonly ref: string }) => boolean;

/**
 * Compares the names of entries while they are read. It keeps 64 bits of a hash for each, so 16 to 32
 * bytes an entry. The hash is seeded anew for each walk: nobody can look for two names that share
 * these bits, and by chance a walk of the most entries meets such two less than once in 100,000.
 */
export function namesOf(): FirstOfName {
  const seed = randomBytes(16).toString("latin1");
  let table = new Uint32Array(2 * SLOTS_MIN);
  let count = 0;

  return ({ kind, ref }) => {
    if (count === NAMES_MAX) return true;
    const digest = hash("sha256", `${seed}${kind}/${ref}`, "buffer");
    const isFirst = put(table, digest.readUInt32LE(0), digest.readUInt32LE(4) || 1);
    if (isFirst) count++;
    if (count * 4 > table.length) table = doubled(table);
    return isFirst;
  };
}

/** False when both halves are there already. A place is free while its second half is 0. */
function put(table: Uint32Array, low: number, high: number): boolean {
  const mask = table.length / 2 - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    if (table[2 * slot + 1] === 0) {
      table.set([low, high], 2 * slot);
      return true;
    }
    if (table[2 * slot] === low && table[2 * slot + 1] === high) return false;
  }
}

function doubled(table: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * table.length);
  for (let at = 0; at < table.length; at += 2) {
    const [low = 0, high = 0] = [table[at], table[at + 1]];
    if (high !== 0) put(larger, low, high);
  }
  return larger;
}
