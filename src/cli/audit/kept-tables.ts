import type { KeptTable } from "./kept.ts";
import { agentTables } from "./kept-agents.ts";
import { boardTables } from "./kept-board.ts";
import { coinTables } from "./kept-coin.ts";
import { commonsTables } from "./kept-commons.ts";
import { countTables } from "./kept-counts.ts";
import { bookTables } from "./kept-market.ts";
import { offerTables } from "./kept-offers.ts";
import { orderTables } from "./kept-orders.ts";
import { purgedTables } from "./kept-purged.ts";
import { transferTables } from "./kept-transfers.ts";
import { worksTables } from "./kept-works.ts";

/** Every table that follows from the ledger, without an entry yet. */
export const keptTables = (): readonly KeptTable[] => [
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
