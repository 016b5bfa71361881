import type { RowFold } from "../rows/fold.ts";
import { columns, type Made } from "../rows/told.ts";

/** Where the ledger ends. */
function head(): RowFold {
  let made: Made | null = null;
  return {
    table: "ledger_head",
    stands: "at_head",
    stored: (row) => ["head", columns(row, "last_id", "last_at")],
    add({ id, at }) {
      made = { last_id: id, last_at: at };
    },
    made: () => new Map([["head", made]]),
  };
}

/** The table that counts the entries themselves. */
export const ledgerFolds = (): readonly RowFold[] => [head()];
