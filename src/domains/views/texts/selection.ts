import { type Kysely, sql } from "kysely";
import { perEngine } from "../../../platform/db/rows.ts";
import type { Tables } from "../../../platform/db/tables.ts";

/** The entries that a query is about: a JSON list of lists of a ledger id, a kind and a ref. */
export interface EntrySelection {
  readonly entries: string;
}

interface Chosen {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
}

/** They themselves, as a table: what is public of an entry is joined to its name, wherever the entry is stored. */
export const chosen = (db: Kysely<Tables>, { entries }: EntrySelection) =>
  perEngine(db, {
    sqlite:
      () => sql<Chosen>`(select value ->> 0 as ledger_id, value ->> 1 as kind, value ->> 2 as ref
      from json_each(${entries}))`,
    postgres: () => sql<Chosen>`(select (value ->> 0)::bigint as ledger_id, value ->> 1 as kind,
      value ->> 2 as ref from json_array_elements(${entries}::json))`,
  });
