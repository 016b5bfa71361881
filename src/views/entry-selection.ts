import { type Kysely, sql } from "kysely";
import { isOneOf } from "../db/rows.ts";
import type { Tables } from "../db/tables.ts";

/** Which entries a query is about: a range of ledger ids, or a JSON list of them. */
export type EntrySelection =
  | { readonly from: number; readonly to: number; readonly ids?: undefined }
  | { readonly ids: string };

/** Whether the entry `e` is one of them. */
export const lies = (db: Kysely<Tables>, selection: EntrySelection) =>
  selection.ids === undefined
    ? sql<boolean>`e.ledger_id >= ${selection.from} and e.ledger_id <= ${selection.to}`
    : isOneOf(db, "e.ledger_id", "bigint", selection.ids);
