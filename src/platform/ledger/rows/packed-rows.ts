import { type NumbersById, numbersById } from "../../kernel/proof/numbers.ts";
import type { Rows } from "./fold.ts";
import { type Made, near, type Told } from "./told.ts";

/** The names of most rows: a word, and a number as it is written. */
const NUMBERED = /^([a-z_]+) ([1-9][0-9]{0,14})$/;

/**
 * Rows by their names, as in a Map. One with a number in its name is packed until it changes, for most never
 * do; the others are objects.
 */
export function packedRows(): Rows<Made> {
  const objects = new Map<string, Made>();
  const places = new Map<string, NumbersById>();
  const { write, read } = packing();

  /** The places of the rows with the same word, and the number of this one; null for other names. */
  function numbered(name: string): readonly [of: NumbersById, id: number] | null {
    const [, word, id] = NUMBERED.exec(name) ?? [];
    if (word === undefined) return null;
    const of = places.get(word) ?? numbersById();
    places.set(word, of);
    return [of, Number(id)];
  }

  function remove(name: string): void {
    const [of, id = 0] = numbered(name) ?? [];
    of?.delete(id);
    objects.delete(name);
  }

  return {
    get(name) {
      const [of, id = 0] = numbered(name) ?? [];
      const place = of?.get(id);
      return place === undefined ? objects.get(name) : read(place);
    },
    set(name, row) {
      const [of, id = 0] = numbered(name) ?? [];
      const isNew = of !== undefined && of.get(id) === undefined && !objects.has(name);
      const place = isNew ? write(row) : null;
      remove(name);
      if (place === null) objects.set(name, row);
      else of?.set(id, place);
    },
    delete: remove,
    *[Symbol.iterator]() {
      yield* objects;
      for (const [word, of] of places)
        for (const [id, place] of of.all()) yield [`${word} ${id}`, read(place)];
    },
  };
}

const PAGE_WORDS = 16_384;
const WORD_BYTES = 4;
const WORD_VALUES = 2 ** 32;
const HASH = /^[0-9a-f]{64}$/;
const HASH_BYTES = 32;
const HASH_WORDS = HASH_BYTES / WORD_BYTES;

/** Words below it are numbers, those from it on the seconds of 2004 to 2038. */
const SECONDS = 2 ** 30;
/** Words from it on stand for what many rows have. */
const OTHERS = 2 ** 31;
/** The word before those of a hash. */
const IS_HASH = WORD_VALUES - 1;

/** Rows one after another in words of 32 bits: one for the names of its columns, and one a value or nine a hash. */
function packing() {
  const pages: Uint32Array<ArrayBuffer>[] = [];
  const [columns, others]: [string[][], Told[]] = [[], []];
  const columnsBy = new Map<string, number>();
  const othersBy = new Map<Told, number>();
  let used = PAGE_WORDS;

  function wordForColumns(names: string[]): number {
    const word = columnsBy.get(names.join()) ?? columns.push(names) - 1;
    columnsBy.set(names.join(), word);
    return word;
  }

  function wordFor(value: Told): number {
    if (isWithin(value, 0, SECONDS)) return value;
    const second = typeof value === "object" ? value?.near : undefined;
    if (isWithin(second, SECONDS, OTHERS)) return second;
    const other = othersBy.get(value) ?? others.push(value) - 1;
    othersBy.set(value, other);
    return OTHERS + other;
  }
  function valueIn(word: number): Told {
    if (word < SECONDS) return word;
    return word < OTHERS ? near(word) : others[word - OTHERS];
  }

  return {
    /** The place of a row from now on, which is not 0; null when there is no room. */
    write(row: Made): number | null {
      const names = Object.keys(row);
      if (used + 1 + names.length * (1 + HASH_WORDS) > PAGE_WORDS) {
        pages.push(new Uint32Array(PAGE_WORDS));
        used = 0;
      }
      const place = pages.length * PAGE_WORDS + used;
      const page = pages.at(-1);
      if (page === undefined || place >= WORD_VALUES) return null;
      page[used++] = wordForColumns(names);
      for (const value of Object.values(row)) {
        const isHash = typeof value === "string" && HASH.test(value);
        page[used++] = isHash ? IS_HASH : wordFor(value);
        if (!isHash) continue;
        hashAt(page, used).setFromHex(value);
        used += HASH_WORDS;
      }
      return place;
    },

    read(place: number): Made {
      const page = pages[Math.floor(place / PAGE_WORDS) - 1] ?? new Uint32Array();
      const row: Record<string, Told> = {};
      let at = place % PAGE_WORDS;
      for (const name of columns[page[at++] ?? 0] ?? []) {
        const word = page[at++] ?? 0;
        row[name] = word === IS_HASH ? hashAt(page, at).toHex() : valueIn(word);
        if (word === IS_HASH) at += HASH_WORDS;
      }
      return row;
    },
  };
}

const hashAt = (page: Uint32Array<ArrayBuffer>, at: number) =>
  new Uint8Array(page.buffer, at * WORD_BYTES, HASH_BYTES);

const isWithin = (value: unknown, from: number, below: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= from && value < below;
