import { rowFolds } from "../../../rows.ts";
import { boardTables } from "./board.ts";
import { coinTables } from "./coin.ts";
import { commonsTables } from "./commons.ts";
import { countTables } from "./counts.ts";
import { fileTables } from "./files.ts";
import { bookTables } from "./market.ts";
import { offerTables } from "./offers.ts";
import { orderTables } from "./orders.ts";
import { purgedTables } from "./purged.ts";
import { removing } from "./removals.ts";
import type { DerivedTable } from "./table.ts";
import { worksTables } from "./works.ts";

/** Every table that follows from the ledger, without an entry yet. */
export const derivedTables = (): readonly DerivedTable[] => [
  ...rowFolds(removing),
  ...coinTables(),
  ...countTables(),
  ...worksTables(),
  ...fileTables(),
  ...boardTables(),
  ...commonsTables(),
  ...purgedTables(),
  ...bookTables(),
  ...offerTables(),
  ...orderTables(),
];
