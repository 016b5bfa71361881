import type { LedgerEntry } from "../../entries.ts";
import type { EntryRecord } from "../../verify/shapes.ts";

/** As much of an entry as is folded. */
export type Entry = Pick<EntryRecord, "id" | "at" | "kind" | "ref" | "body">;

type FieldOf<E> = E extends { readonly body: infer B } ? keyof B & string : never;
/** A field of some kind of entry: a misspelt one would be read as 0 or as empty. */
type Field = FieldOf<LedgerEntry>;

/** A number of a body; 0 where the entry has none. */
export const numberIn = ({ body }: Pick<Entry, "body">, field: Field): number =>
  Number(body[field] ?? 0);

/** A text of a body; empty where the entry has none. */
export const textIn = ({ body }: Pick<Entry, "body">, field: Field): string =>
  String(body[field] ?? "");
