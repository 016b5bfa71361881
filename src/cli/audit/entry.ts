import { ENTRY_KINDS, type LedgerEntry } from "../../entries.ts";
import type { EntryRecord } from "../../verify/shapes.ts";

/** As much of an entry as is folded. */
export type Entry = Pick<EntryRecord, "id" | "at" | "kind" | "ref" | "body">;

const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  ENTRY_KINDS.map(({ kind, fields }) => [
    kind,
    Object.keys(fields).filter((name) => fields[name]?.isOptional === false),
  ]),
);

/**
 * Throws when a body lacks a field of its kind, which would count as 0 or as empty. Kinds that only a
 * newer version appends have none.
 */
export function demandFields({ kind, body }: Pick<Entry, "kind" | "body">): void {
  const missing = REQUIRED.get(kind)?.find((name) => body[name] === undefined);
  if (missing !== undefined) throw new Error(`An entry of the kind ${kind} lacks ${missing}.`);
}

type FieldOf<E> = E extends { readonly body: infer B } ? keyof B & string : never;
/** A field of some kind of entry: a misspelt one would be read as 0 or as empty. */
type Field = FieldOf<LedgerEntry>;

/** A number of a body; 0 where the entry has none. */
export const numberIn = ({ body }: Pick<Entry, "body">, field: Field): number =>
  Number(body[field] ?? 0);

/** A text of a body; empty where the entry has none. */
export const textIn = ({ body }: Pick<Entry, "body">, field: Field): string =>
  String(body[field] ?? "");
