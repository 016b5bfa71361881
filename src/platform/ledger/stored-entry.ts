import type { Db } from "../db/engine.ts";
import type { Prepared } from "../db/prepared.ts";
import { entryText } from "../kernel/proof/entry.ts";
import { CorruptEntry, unpack } from "../kernel/proof/packed.ts";
import type { Seconds } from "../kernel/time.ts";

/** An entry as it is stored. */
interface PackedRow {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly kind: string;
  readonly ref: string;
  readonly names: string | null;
  readonly bytes: Uint8Array;
}

/** An entry with its body as RFC 8785 text. */
export interface EntryWithBody {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly kind: string;
  readonly ref: string;
  readonly body: string;
}

/** The same with its sealed text and its leaf. */
export interface WholeEntry extends EntryWithBody {
  readonly entry: string;
  readonly leaf: Uint8Array;
}

/** A query of entries. It rejects with a CorruptEntry where one cannot be read. */
export interface EntryQuery<P extends object, Row> {
  all(db: Db, params: P): Promise<Row[]>;
  first(db: Db, params: P): Promise<Row | undefined>;
}

/** Unpacks what `query` finds, with whatever else `add` takes from a row. */
const reading = <P extends object, Stored extends PackedRow, Row>(
  query: Prepared<P, Db, Stored>,
  read: (row: Stored) => Row,
): EntryQuery<P, Row> => ({
  all: async (db, params) => (await query.all(db, params)).map(read),
  async first(db, params) {
    const row = await query.first(db, params);
    return row && read(row);
  },
});

/** With bodies. */
export const withBodies = <P extends object>(query: Prepared<P, Db, PackedRow>) =>
  reading(query, entryOf);

type WholeRow = PackedRow & { readonly leaf: Uint8Array };

/** With bodies, sealed texts and leaves. */
export const whole = <P extends object>(query: Prepared<P, Db, WholeRow>) =>
  reading(query, wholeOf);

/** The same, and the seal of each. */
export const wholeAndSeal = <P extends object>(
  query: Prepared<P, Db, WholeRow & { readonly seq: number | null }>,
) => reading(query, (row) => ({ ...wholeOf(row), seq: row.seq }));

function entryOf(row: PackedRow): EntryWithBody {
  const { ledger_id, at, kind, ref } = row;
  return { ledger_id, at, kind, ref, body: bodyOf(row) };
}

function wholeOf(row: WholeRow): WholeEntry {
  const { ledger_id, at, kind, ref, leaf } = row;
  const body = bodyOf(row);
  const entry = entryText({ id: ledger_id, at, kind, ref, body });
  return { ledger_id, at, kind, ref, body, entry, leaf };
}

function bodyOf({ ledger_id, kind, names, bytes }: PackedRow): string {
  try {
    if (names === null || kind === null) throw new RangeError("It has no names.");
    return unpack({ names, bytes });
  } catch (error) {
    throw new CorruptEntry(ledger_id, error);
  }
}
