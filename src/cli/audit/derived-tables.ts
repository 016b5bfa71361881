import type { DerivedTable } from "./derived.ts";
import { agentTables } from "./derived-agents.ts";
import { boardTables } from "./derived-board.ts";
import { coinTables } from "./derived-coin.ts";
import { commonsTables } from "./derived-commons.ts";
import { countTables } from "./derived-counts.ts";
import { bookTables } from "./derived-market.ts";
import { offerTables } from "./derived-offers.ts";
import { orderTables } from "./derived-orders.ts";
import { purgedTables } from "./derived-purged.ts";
import { transferTables } from "./derived-transfers.ts";
import { worksTables } from "./derived-works.ts";

/** Every table that follows from the ledger, without an entry yet. */
export const derivedTables = (): readonly DerivedTable[] => [
  ...coinTables(),
  ...countTables(),
  ...agentTables(),
  ...worksTables(),
  ...boardTables(),
  ...commonsTables(),
  ...purgedTables(),
  ...bookTables(),
  ...offerTables(),
  ...orderTables(),
  ...transferTables(),
];
