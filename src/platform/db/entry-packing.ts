import type { EntryBody } from "../kernel/proof/entry.ts";
import { type Packed, pack } from "../kernel/proof/packed.ts";
import type { Seconds } from "../kernel/time.ts";
import type { Db, Tx } from "./engine.ts";
import { type Prepared, prepared } from "./prepared.ts";
import { inserting } from "./rows.ts";
import type { DictionaryTables } from "./tables.ts";

/** An entry with its place, as the program knows it. */
export interface WholeEntry {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly kind: string;
  readonly ref: string;
  readonly body: EntryBody;
  readonly leaf: Uint8Array;
  /** Its body, if it is packed already. */
  readonly packed?: Packed;
}

type Nothing = Record<string, never>;

const kinds = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_kind").select(["id", "kind as text"]),
);
const shapes = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_shape").select(["id", "names as text"]),
);
const insertKind = prepared((db, p: DictionaryTables["ledger_kind"]) =>
  db.insertInto("ledger_kind").values(p),
);
const insertShape = prepared((db, p: DictionaryTables["ledger_shape"]) =>
  db.insertInto("ledger_shape").values(p),
);

const insertEntries = inserting("ledger_entry", {
  ledger_id: "bigint",
  at: "bigint",
  kind: "bigint",
  shape: "bigint",
  ref: "text",
  body: "bytea",
  leaf: "bytea",
});

/**
 * Stores entries packed. Kinds and names of bodies get their numbers on the way, so one transaction at
 * a time may store entries; a database has one of these in each process that does.
 */
export function entryStore(): (tx: Tx, entries: readonly WholeEntry[]) => Promise<void> {
  const numberKinds = numbering(kinds, (tx, id, kind) => insertKind.run(tx, { id, kind }));
  const numberShapes = numbering(shapes, (tx, id, names) => insertShape.run(tx, { id, names }));

  return async (tx, entries) => {
    const packed = entries.map((entry) => entry.packed ?? pack(entry.body));
    const kindOf = await numberKinds(
      tx,
      entries.map(({ kind }) => kind),
    );
    const shapeOf = await numberShapes(
      tx,
      packed.map(({ names }) => names),
    );
    const rows = packed.map(({ names, bytes }, i) => {
      const { ledger_id, at, kind, ref, leaf } = entries[i] as WholeEntry;
      const shape = shapeOf(names);
      return { ledger_id, at, kind: kindOf(kind), shape, ref, body: bytes, leaf };
    });
    await insertEntries(tx, rows);
  };
}

interface Numbered {
  readonly id: number;
  readonly text: string;
}

/** Numbers from 1 on, in the order in which the texts first came. */
function numbering(
  rows: Prepared<Nothing, Db, Numbered>,
  insert: (tx: Tx, id: number, text: string) => Promise<unknown>,
) {
  const committed = new Map<string, number>();

  return async (tx: Tx, texts: readonly string[]): Promise<(text: string) => number> => {
    if (texts.every((text) => committed.has(text))) return numberIn(committed);
    for (const { id, text } of await rows.all(tx, {})) committed.set(text, id);
    // The transaction may be undone, so its own numbers are read the next time.
    const known = new Map(committed);
    for (const text of texts) {
      if (known.has(text)) continue;
      const id = known.size + 1;
      await insert(tx, id, text);
      known.set(text, id);
    }
    return numberIn(known);
  };
}

const numberIn =
  (known: ReadonlyMap<string, number>) =>
  (text: string): number => {
    const id = known.get(text);
    if (id === undefined) throw new RangeError("A kind or a shape has no number.");
    return id;
  };
