import type { AppTables } from "../apps/tables.ts";
import type { ClaimTables } from "../claims/tables.ts";
import type { CoinTables } from "../coin/tables.ts";
import type { CommonsTables } from "../commons/tables.ts";
import type { CounterTables } from "../counters/tables.ts";
import type { FeedTables } from "../feed/tables.ts";
import type { IdentityTables } from "../identity/tables.ts";
import type { InboxTables } from "../inbox/tables.ts";
import type { LedgerTables } from "../ledger/tables.ts";
import type { MarketTables } from "../market/tables.ts";
import type { MessageTables } from "../messages/tables.ts";
import type { OperatorTables } from "../operator/tables.ts";
import type { QuotaTables } from "../quota/tables.ts";
import type { RemovalTables } from "../removals/tables.ts";
import type { RepositoryTables } from "../repositories/tables.ts";
import type { RequestTables } from "../requests/tables.ts";
import type { SearchTables } from "../search/tables.ts";
import type { TaskTables } from "../tasks/tables.ts";
import type { LogTables } from "../tlog/tables.ts";
import type { TransferTables } from "../transfers/tables.ts";

/** The kinds of entries by the numbers that their rows have. */
interface LedgerKindTable {
  id: number;
  kind: string;
}

/** The names of bodies by the numbers that their rows have. */
interface LedgerShapeTable {
  id: number;
  /** A JSON list in the order of RFC 8785. */
  names: string;
}

/** What packed entries refer to. */
export interface DictionaryTables {
  ledger_kind: LedgerKindTable;
  ledger_shape: LedgerShapeTable;
}

/** Every table of the database; each is declared, and written, by one folder. */
export type Tables = AppTables &
  ClaimTables &
  CoinTables &
  CommonsTables &
  CounterTables &
  DictionaryTables &
  FeedTables &
  IdentityTables &
  InboxTables &
  LedgerTables &
  LogTables &
  MarketTables &
  MessageTables &
  OperatorTables &
  QuotaTables &
  RemovalTables &
  RepositoryTables &
  RequestTables &
  SearchTables &
  TaskTables &
  TransferTables;
