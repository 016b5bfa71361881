import { rowFolds } from "../../../rows.ts";
import { coinTables } from "./coin.ts";
import { purgedTables } from "./purged.ts";
import { removing } from "./removals.ts";
import type { DerivedTable } from "./table.ts";
import { worksTables } from "./works.ts";

/** Every table that follows from the ledger, without an entry yet. */
export const derivedTables = (): readonly DerivedTable[] => [
  ...rowFolds(removing),
  ...coinTables(),
  ...worksTables(),
  ...purgedTables(),
];
