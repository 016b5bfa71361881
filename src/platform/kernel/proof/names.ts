import type { Sha256 } from "./merkle.ts";

/** Bytes for names that are whole numbers, and for the others. */
const NAME_CAPS = { numbers_bytes: 64 * 1024 * 1024, hashes_bytes: 32 * 1024 * 1024 };

/** Refs of one kind that share a page: their low 16 bits. */
const PAGE = 65_536;
const BITMAP_BYTES = PAGE / 8;
/** A page with fewer refs is a sorted list. */
const LIST_MAX = 256;
const LIST_MIN = 8;
/** What a page takes beside its refs, in maps and headers: an estimate above what V8 was seen to use. */
const PAGE_BYTES = 256;
const SLOTS_MIN = 2 ** 12;
/** The names are whole numbers as they are written, up to 2^53-1. */
const NUMBER = /^(?:0|[1-9][0-9]{0,15})$/;

/** Compares the names of entries while they are read. */
export interface Names {
  /** False when an earlier entry has this kind and ref. */
  isFirst(kind: string, ref: string): boolean;
  /** How many were compared; what came after the caps were reached is not. */
  compared(): number;
}

interface Hashing {
  readonly sha256: Sha256;
  /** A new text that nobody can guess. */
  readonly seed: () => string;
}

/** Exact where refs are numbers: a bitmap a kind. Others by 64 bits of a hash that is seeded anew. */
export function namesOf(hashing: Hashing, caps = NAME_CAPS): Names {
  const numbers = numbersOf(caps.numbers_bytes);
  const hashes = hashesOf(hashing, caps.hashes_bytes);
  let compared = 0;
  return {
    isFirst(kind, ref) {
      const number = NUMBER.test(ref) ? Number(ref) : Number.NaN;
      const found = Number.isSafeInteger(number)
        ? numbers.put(kind, number)
        : hashes(`${kind}/${ref}`);
      if (found !== "beyond") compared++;
      return found !== "again";
    },
    compared: () => compared,
  };
}

type Found = "first" | "again" | "beyond";

/** The refs of one page: a list of 16-bit numbers in rising order, or a bit for each. */
interface Page {
  count: number;
  list: Uint16Array;
  bits: Uint8Array | null;
}

/** Tells numbers of one kind apart, in a bit each where they are dense, which a Set ends doing at 2^24 of them. */
export function numbersOf(max_bytes: number) {
  const kinds = new Map<string, Map<number, Page>>();
  let bytes = 0;
  const afford = (more: number): boolean => {
    if (bytes + more > max_bytes) return false;
    bytes += more;
    return true;
  };
  const newPage = (pages: Map<number, Page>, at: number): Page | null => {
    if (!afford(PAGE_BYTES + 2 * LIST_MIN)) return null;
    const page = { count: 0, list: new Uint16Array(LIST_MIN), bits: null };
    pages.set(at, page);
    return page;
  };
  const put = (kind: string, number: number): Found => {
    const known = kinds.get(kind);
    const pages = known ?? new Map<number, Page>();
    if (known === undefined && !afford(PAGE_BYTES)) return "beyond";
    if (known === undefined) kinds.set(kind, pages);
    const at = Math.floor(number / PAGE);
    const page = pages.get(at) ?? newPage(pages, at);
    return page === null ? "beyond" : putInPage(page, number % PAGE, afford);
  };
  const has = (kind: string, number: number): boolean => {
    const page = kinds.get(kind)?.get(Math.floor(number / PAGE));
    return page !== undefined && isInPage(page, number % PAGE);
  };
  return { put, has };
}

function isInPage(page: Page, low: number): boolean {
  const { bits, list, count } = page;
  if (bits !== null) return ((bits[low >> 3] ?? 0) & (1 << (low & 7))) !== 0;
  const place = placeIn(page, low);
  return place < count && list[place] === low;
}

function putInPage(page: Page, low: number, afford: (bytes: number) => boolean): Found {
  const { bits } = page;
  if (bits !== null) {
    const byte = low >> 3;
    const bit = 1 << (low & 7);
    const present = bits[byte] ?? 0;
    bits[byte] = present | bit;
    return (present & bit) === 0 ? "first" : "again";
  }
  const place = placeIn(page, low);
  if (page.list[place] === low && place < page.count) return "again";
  if (page.count === page.list.length && !grown(page, afford)) return "beyond";
  if (page.bits !== null) return putInPage(page, low, afford);
  page.list.copyWithin(place + 1, place, page.count);
  page.list[place] = low;
  page.count++;
  return "first";
}

/** Where a number stands in the list, or would; most come in rising order. */
function placeIn({ list, count }: Page, low: number): number {
  if (count === 0 || (list[count - 1] ?? 0) < low) return count;
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((list[middle] ?? 0) < low) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Room for one more: a list twice as long, or a bitmap. */
function grown(page: Page, afford: (bytes: number) => boolean): boolean {
  const { list, count } = page;
  if (2 * count <= LIST_MAX) {
    if (!afford(2 * count)) return false;
    page.list = new Uint16Array(2 * count);
    page.list.set(list);
    return true;
  }
  if (!afford(BITMAP_BYTES)) return false;
  const bits = new Uint8Array(BITMAP_BYTES);
  for (const low of list.subarray(0, count))
    bits[low >> 3] = (bits[low >> 3] ?? 0) | (1 << (low & 7));
  Object.assign(page, { bits, list: new Uint16Array(0) });
  return true;
}

/**
 * Keeps 64 bits of a hash for each name: nobody can look for two names that share these bits, and
 * by chance a walk of the most names meets such two less than once in 1,000,000.
 */
function hashesOf({ sha256, seed }: Hashing, max_bytes: number) {
  const encoder = new TextEncoder();
  const salt = seed();
  let table = new Uint32Array(2 * SLOTS_MIN);
  let count = 0;
  return (name: string): Found => {
    const digest = sha256(encoder.encode(salt + name));
    const view = new DataView(digest.buffer, digest.byteOffset, 8);
    const low = view.getUint32(0);
    const high = view.getUint32(4) || 1;
    if (isIn(table, low, high)) return "again";
    const isFull = table.byteLength * 2 > max_bytes;
    if (!isFull && count * 4 > table.length) table = doubled(table);
    // The last table is filled to 7/8, so that looking up stays short.
    if (isFull && count * 16 > table.length * 7) return "beyond";
    insert(table, low, high);
    count++;
    return "first";
  };
}

/** The slot of a pair, or the free one for it. A slot is free while its second half is 0. */
function slotOf(table: Uint32Array, low: number, high: number): number {
  const mask = table.length / 2 - 1;
  let slot = low & mask;
  while (table[2 * slot + 1] !== 0 && (table[2 * slot] !== low || table[2 * slot + 1] !== high))
    slot = (slot + 1) & mask;
  return slot;
}

const isIn = (table: Uint32Array, low: number, high: number): boolean =>
  table[2 * slotOf(table, low, high) + 1] !== 0;

function insert(table: Uint32Array, low: number, high: number): void {
  const slot = slotOf(table, low, high);
  table[2 * slot] = low;
  table[2 * slot + 1] = high;
}

function doubled(table: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * table.length);
  for (let at = 0; at < table.length; at += 2) {
    const [low = 0, high = 0] = [table[at], table[at + 1]];
    if (high !== 0) insert(larger, low, high);
  }
  return larger;
}
