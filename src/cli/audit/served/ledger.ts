import { postingOf } from "../../../coin/postings.ts";
import { ENTRY_KINDS } from "../../../entries.ts";
import { isOrderKind } from "../../../market/rules.ts";
import type { Made } from "../derived/derived.ts";
import { derivedTables } from "../derived/every-table.ts";
import type { Entry } from "../entry.ts";
import type { Books } from "../replay.ts";

/** The place of an entry, and what it is about. */
export type EntryPosition = Pick<Entry, "id" | "at" | "kind" | "ref">;

const KNOWN_KINDS: ReadonlySet<string> = new Set(ENTRY_KINDS.map(({ kind }) => kind));

/** Whether an entry is one of the coin's ledger; the first one only begins the books. */
const movesCoins = (entry: Entry): boolean => entry.kind !== "genesis" && postingOf(entry) !== null;

/** Rising numbers, in which most come in their order. */
function insert(ids: number[], id: number): void {
  let at = ids.length;
  while (at > 0 && (ids[at - 1] ?? 0) > id) at--;
  ids.splice(at, 0, id);
}

const NONE: readonly number[] = [];

/** Ids of a table's rows by what they belong to. */
interface Index {
  seen: number;
  readonly ids: Map<string, number[]>;
}

/**
 * What the entries so far make, object by object: the rows that an audit of a file compares, kept in
 * the order in which answers show them.
 */
export function ledgerOf(books: Books) {
  const tables = derivedTables().filter(({ row }) => row !== undefined);
  const byName = Map.groupBy(tables, ({ table }) => table);
  const indexes = new Map<string, Index>();
  const coin = new Map<number, EntryPosition>();
  const orders = new Map<number, Entry>();
  const [coinIds, orderIds]: [number[], number[]] = [[], []];
  const newer = new Map<string, number>();

  const row = (table: string, name: string): Made | undefined => {
    const parts = (byName.get(table) ?? []).map((each) => each.row?.(name, books));
    if (parts.length === 0) throw new Error(`No rows of ${table} are kept.`);
    return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
  };

  const namesIn = (table: string): readonly string[] =>
    byName.get(table)?.find(({ names }) => names !== undefined)?.names ?? [];

  /** Brings an index up to the last row. */
  function idsIn(table: string, column: string | null, value: string): readonly number[] {
    const kept = `${table} ${column}`;
    const index = indexes.get(kept) ?? { seen: 0, ids: new Map() };
    indexes.set(kept, index);
    const names = namesIn(table);
    for (; index.seen < names.length; index.seen++) {
      const name = names[index.seen] ?? "";
      const owner = column === null ? "" : ownerOf(name, column, row(table, name));
      const ids = index.ids.get(owner) ?? [];
      index.ids.set(owner, ids);
      insert(ids, idIn(name, index.seen));
    }
    return index.ids.get(value) ?? NONE;
  }

  return {
    books,
    row,

    /** Names of a table's rows in the order of the ledger. */
    names: namesIn,

    /** Ids of all rows of a table, rising; for rows without a number, their places among the names. */
    ids: (table: string): readonly number[] => idsIn(table, null, ""),

    /** Of those rows that have a value in a column which no entry changes. */
    idsBy: (table: string, column: string, value: unknown): readonly number[] =>
      idsIn(table, column, `${value}`),

    handleOf(agent_id: unknown): string | null {
      const handle = row("agent", `${agent_id}`)?.["handle"];
      return typeof handle === "string" ? handle : null;
    },

    coin: coin as ReadonlyMap<number, EntryPosition>,
    coinIds: coinIds as readonly number[],
    orders: orders as ReadonlyMap<number, Entry>,
    orderIds: orderIds as readonly number[],

    /** Entries of kinds that this version does not know. */
    newer: newer as ReadonlyMap<string, number>,

    /** Told of every entry, after the books. */
    add(entry: Entry): void {
      for (const table of tables) table.add?.(entry, books);
      const { id, at, kind, ref } = entry;
      if (movesCoins(entry)) {
        coin.set(id, { id, at, kind, ref });
        coinIds.push(id);
      }
      if (isOrderKind(kind)) {
        orders.set(id, entry);
        orderIds.push(id);
      }
      if (!KNOWN_KINDS.has(kind)) newer.set(kind, (newer.get(kind) ?? 0) + 1);
    },
  };
}

export type Ledger = ReturnType<typeof ledgerOf>;

/** A membership is named by its two sides, which are no columns of it. */
function ownerOf(name: string, column: string, row: Made | undefined): string {
  const [, repo, member] = name.split(" ");
  if (member !== undefined) return column === "agent" ? member : (repo ?? "");
  return String(row?.[column]);
}

function idIn(name: string, place: number): number {
  const id = Number(name.slice(name.indexOf(" ") + 1));
  return Number.isNaN(id) ? place : id;
}

/** Which ids a list shows. */
export interface Which {
  readonly before_id?: number;
  readonly limit: number;
  readonly where?: (id: number) => boolean;
}

/** Ids from the largest on. */
export function newest(ids: readonly number[], { before_id, limit, where }: Which): number[] {
  const found: number[] = [];
  for (let at = before_id === undefined ? ids.length : placeOf(ids, before_id); at-- > 0; ) {
    const id = ids[at] ?? 0;
    if (found.length === limit) break;
    if (where?.(id) ?? true) found.push(id);
  }
  return found;
}

/** How many of rising ids are below one. */
function placeOf(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
