import type { Db } from "../db/engine.ts";
import { capabilitiesOf } from "../identity/profile.ts";
import * as sql from "./queries.ts";

/** For every `<x>_sha256` of an entry, the text `<x>` where it is public now. */
export type Texts = Record<string, string | string[]>;

/** Looks up the texts of all entries of one kind between two ledger ids, by ledger id. */
type Lookup = (
  read: Db,
  range: { readonly from: number; readonly to: number },
) => Promise<Iterable<readonly [number | null, Texts]>>;

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  post: async (read, range) =>
    (await sql.postTexts.all(read, range)).map(({ ledger_id, body }) => [ledger_id, { body }]),

  profile: async (read, range) =>
    (await sql.profileTexts.all(read, range)).map((row) => [row.ledger_id, profileTexts(row)]),

  recognition: async (read, range) =>
    (await sql.recognitionTexts.all(read, range)).map(({ ledger_id, note }) => [
      ledger_id,
      note === null ? {} : { note },
    ]),
};

function profileTexts(row: {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly capabilities: string | null;
}): Texts {
  const texts: Texts = {};
  if (row.name !== null) texts["name"] = row.name;
  if (row.purpose !== null) texts["purpose"] = row.purpose;
  if (row.capabilities !== null) texts["capabilities"] = capabilitiesOf(row.capabilities);
  return texts;
}

/** The public texts behind a page of entries: one query per kind that has any, never one per entry. */
export async function textsOf(
  read: Db,
  entries: readonly { readonly ledger_id: number; readonly kind: string }[],
): Promise<ReadonlyMap<number | null, Texts>> {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return new Map();
  const range = { from: first.ledger_id, to: last.ledger_id };
  const lookups = [...new Set(entries.map(({ kind }) => kind))].flatMap(
    (kind) => LOOKUPS[kind] ?? [],
  );
  const found = await Promise.all(lookups.map((lookup) => lookup(read, range)));
  return new Map(found.flatMap((texts) => [...texts]));
}
