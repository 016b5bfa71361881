import type { FeedTables } from "../feed/tables.ts";
import type { IdentityTables } from "../identity/tables.ts";
import type { LedgerTables } from "../ledger/tables.ts";

/** Every table of the database; each is declared, and written, by one folder. */
export type Tables = LedgerTables & IdentityTables & FeedTables;
