import { feedFolds, otherTables as feedTables } from "./feed/folds.ts";
import { rows as feed } from "./feed/rows.ts";
import { identityFolds, otherTables as identityTables } from "./identity/folds.ts";
import { rows as identity } from "./identity/rows.ts";
import { type AnyKindRows, type Classes, classesIn } from "./ledger/rows/effects.ts";
import type { RowFold } from "./ledger/rows/fold.ts";
import { type Removing, recordedRows } from "./ledger/rows/recorded.ts";
import { rows as removals, otherTables as removalTables } from "./removals/rows.ts";
import { requestFolds, otherTables as requestTables } from "./requests/folds.ts";
import { rows as requests } from "./requests/rows.ts";
import { transfersFolds, otherTables as transferTables } from "./transfers/folds.ts";
import { rows as transfers } from "./transfers/rows.ts";

/** What each kind of entry does to rows. */
const RECORDS = {
  ...feed,
  ...identity,
  ...removals,
  ...requests,
  ...transfers,
};

/** The tables whose rows no single entry makes. */
const OTHER_TABLES = {
  ...feedTables,
  ...identityTables,
  ...removalTables,
  ...requestTables,
  ...transferTables,
};

export const KIND_ROWS: readonly AnyKindRows[] = Object.values(RECORDS);

/** The class of every column of every table. */
export const TABLE_CLASSES: Classes = { ...classesIn(RECORDS), ...OTHER_TABLES };

/** The tables that are compared by folds of their own. */
const FOLDS = {
  feedFolds,
  identityFolds,
  requestFolds,
  transfersFolds,
};

/**
 * Every table that follows from the ledger, without an entry yet. A fold of its own takes the place of the records of
 * its table.
 */
export function rowFolds(removing: Removing): readonly RowFold[] {
  const recorded = recordedRows(KIND_ROWS, removing);
  const foldOf = (table: string): RowFold => {
    const found = recorded.find((each) => each.table === table);
    if (found === undefined) throw new Error(`No entry makes rows of ${table}.`);
    return found;
  };
  const own = Object.values(FOLDS).flatMap((folds) => folds(foldOf));
  const isOwn = ({ table, stands }: RowFold) =>
    own.some((each) => each.table === table && each.stands === stands);
  return [...recorded.filter((each) => !isOwn(each)), ...own];
}
