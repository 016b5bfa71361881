import { claimFolds, otherTables as claimTables } from "./claims/folds.ts";
import { rows as claims } from "./claims/rows.ts";
import { rows as commons } from "./commons/rows.ts";
import { counterFolds, otherTables as counterTables } from "./counters/folds.ts";
import { feedFolds, otherTables as feedTables } from "./feed/folds.ts";
import { rows as feed } from "./feed/rows.ts";
import { identityFolds, otherTables as identityTables } from "./identity/folds.ts";
import { rows as identity } from "./identity/rows.ts";
import { otherTables as inboxTables } from "./inbox/rows.ts";
import { type AnyKindRows, type Classes, classesIn } from "./ledger/rows/effects.ts";
import type { FoldOf, RowFold } from "./ledger/rows/fold.ts";
import { type Removing, recordedRows } from "./ledger/rows/recorded.ts";
import { rows as ledger, otherTables as ledgerTables } from "./ledger/rows.ts";
import { ledgerFolds } from "./ledger/sequencing/folds.ts";
import { marketFolds, otherTables as marketTables } from "./market/folds.ts";
import { rows as market } from "./market/rows.ts";
import { otherTables as messageTables } from "./messages/rows.ts";
import { otherTables as operatorTables } from "./operator/rows.ts";
import { otherTables as quotaTables } from "./quota/rows.ts";
import { rows as removals, otherTables as removalTables } from "./removals/rows.ts";
import { repositoryFolds, otherTables as repositoryTables } from "./repositories/folds.ts";
import { rows as repositories } from "./repositories/rows.ts";
import { requestFolds, otherTables as requestTables } from "./requests/folds.ts";
import { rows as requests } from "./requests/rows.ts";
import { otherTables as searchTables } from "./search/rows.ts";
import { taskFolds } from "./tasks/folds.ts";
import { rows as tasks } from "./tasks/rows.ts";
import { rows as tlog, otherTables as tlogTables } from "./tlog/rows.ts";
import { transfersFolds, otherTables as transferTables } from "./transfers/folds.ts";
import { rows as transfers } from "./transfers/rows.ts";

/** What each kind of entry does to rows. */
const RECORDS = {
  ...claims,
  ...commons,
  ...feed,
  ...identity,
  ...ledger,
  ...market,
  ...removals,
  ...repositories,
  ...requests,
  ...tasks,
  ...tlog,
  ...transfers,
};

/** The tables whose rows no single entry makes. */
const OTHER_TABLES = {
  ...claimTables,
  ...counterTables,
  ...feedTables,
  ...identityTables,
  ...inboxTables,
  ...ledgerTables,
  ...messageTables,
  ...operatorTables,
  ...quotaTables,
  ...marketTables,
  ...removalTables,
  ...repositoryTables,
  ...requestTables,
  ...searchTables,
  ...tlogTables,
  ...transferTables,
};

export const KIND_ROWS: readonly AnyKindRows[] = Object.values(RECORDS);

/** The class of every column of every table. */
export const TABLE_CLASSES: Classes = { ...classesIn(RECORDS), ...OTHER_TABLES };

type FoldsOf = (foldOf: FoldOf, removing: Removing) => readonly RowFold[];

/** The tables that are compared by folds of their own. */
const FOLDS: Readonly<Record<string, FoldsOf>> = {
  claimFolds,
  counterFolds,
  feedFolds,
  identityFolds,
  ledgerFolds,
  marketFolds,
  repositoryFolds,
  requestFolds,
  taskFolds,
  transfersFolds,
};

/**
 * Every table that follows from the ledger, without an entry yet. A fold of its own takes the place of the records of
 * its table.
 */
export function rowFolds(removing: Removing): readonly RowFold[] {
  const recorded = recordedRows(KIND_ROWS, removing);
  const foldOf: FoldOf = (table) => {
    const found = recorded.find((each) => each.table === table);
    if (found === undefined) throw new Error(`No entry makes rows of ${table}.`);
    return found;
  };
  const own = Object.values(FOLDS).flatMap((folds) => folds(foldOf, removing));
  const isOwn = ({ table, stands }: RowFold) =>
    own.some((each) => each.table === table && each.stands === stands);
  return [...recorded.filter((each) => !isOwn(each)), ...own];
}
