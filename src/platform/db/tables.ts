import type { AppTables } from "../../domains/apps/tables.ts";
import type { ClaimTables } from "../../domains/claims/tables.ts";
import type { CoinTables } from "../../domains/coin/tables.ts";
import type { CommonsTables } from "../../domains/commons/tables.ts";
import type { CounterTables } from "../../domains/counters/tables.ts";
import type { FeedTables } from "../../domains/feed/tables.ts";
import type { IdentityTables } from "../../domains/identity/tables.ts";
import type { InboxTables } from "../../domains/inbox/tables.ts";
import type { MarketTables } from "../../domains/market/tables.ts";
import type { MessageTables } from "../../domains/messages/tables.ts";
import type { OperatorTables } from "../../domains/operator/tables.ts";
import type { QuotaTables } from "../../domains/quota/tables.ts";
import type { RemovalTables } from "../../domains/removals/tables.ts";
import type { RepositoryTables } from "../../domains/repositories/tables.ts";
import type { RequestTables } from "../../domains/requests/tables.ts";
import type { SearchTables } from "../../domains/search/tables.ts";
import type { TaskTables } from "../../domains/tasks/tables.ts";
import type { LogTables } from "../../domains/tlog/tables.ts";
import type { TransferTables } from "../../domains/transfers/tables.ts";
import type { LedgerTables } from "../ledger/tables.ts";

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
