import type { RowFold } from "../rows/fold.ts";
import { columns, type Made } from "../rows/told.ts";
import { rulesAfter } from "./fence.ts";

/** Where the ledger ends. */
function head(): RowFold {
  let made: Made | null = null;
  let rules = 0;
  return {
    table: "ledger_head",
    stands: "at_head",
    stored: (row) => ["head", columns(row, "last_id", "last_at", "rules")],
    add(entry) {
      rules = rulesAfter(rules, [entry]);
      made = { last_id: entry.id, last_at: entry.at, rules };
    },
    made: () => new Map([["head", made]]),
  };
}

/** The table that counts the entries themselves. */
export const ledgerFolds = (): readonly RowFold[] => [head()];
