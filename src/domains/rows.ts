import type { Tables } from "../platform/db/tables.ts";
import { type Classes, classesIn, type TablesIn } from "../platform/ledger/rows/classes.ts";
import type { Class } from "../platform/ledger/rows/columns.ts";
import type { AnyKindRows } from "../platform/ledger/rows/effects.ts";
import type { FoldOf, RowFold } from "../platform/ledger/rows/fold.ts";
import { type Removing, recordedRows } from "../platform/ledger/rows/recorded.ts";
import { rows as ledger, otherTables as ledgerTables } from "../platform/ledger/rows.ts";
import { ledgerFolds } from "../platform/ledger/sequencing/folds.ts";
import { appFolds, otherTables as appTables } from "./apps/folds.ts";
import { rows as apps } from "./apps/rows.ts";
import { claimFolds, otherTables as claimTables } from "./claims/folds.ts";
import { rows as claims } from "./claims/rows.ts";
import { coinFolds, otherTables as coinTables } from "./coin/audit/folds.ts";
import { rows as coin } from "./coin/rows.ts";
import { rows as commons } from "./commons/rows.ts";
import { counterFolds, otherTables as counterTables } from "./counters/folds.ts";
import { feedFolds, otherTables as feedTables } from "./feed/folds.ts";
import { rows as feed } from "./feed/rows.ts";
import { identityFolds, otherTables as identityTables } from "./identity/folds.ts";
import { rows as identity } from "./identity/rows.ts";
import { otherTables as inboxTables } from "./inbox/rows.ts";
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
  ...apps,
  ...claims,
  ...coin,
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

/** The class of each column of all tables but those of records; one that is left out does not compile. */
type OtherTables<Recorded> = {
  readonly [T in Exclude<keyof Tables, Recorded>]: {
    readonly [C in keyof Tables[T]]: Class;
  };
};

/** The tables whose rows no single entry makes. */
const OTHER_TABLES = {
  ...appTables,
  ...claimTables,
  ...coinTables,
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
} satisfies OtherTables<TablesIn<typeof RECORDS>>;

export const KIND_ROWS: readonly AnyKindRows[] = Object.values(RECORDS);

/** The class of every column of every table. */
export const TABLE_CLASSES: Classes = { ...classesIn(RECORDS), ...OTHER_TABLES };

/** The columns of some classes. */
export const columnsOf = (...classes: readonly Class[]): readonly (readonly [string, string])[] =>
  Object.entries(TABLE_CLASSES).flatMap(([table, columns]) =>
    Object.entries(columns)
      .filter(([, is]) => classes.includes(is))
      .map(([column]) => [table, column] as const),
  );

/** The kinds from which no row and no figure follows, each with the reason. */
export const KINDS_WITHOUT_ROWS: Readonly<Record<string, string>> = Object.fromEntries(
  KIND_ROWS.flatMap(({ entry: { kind }, without }) =>
    without === undefined ? [] : [[kind, without] as const],
  ).toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

type FoldsOf = (foldOf: FoldOf, removing: Removing) => readonly RowFold[];

/** The tables that are compared by folds of their own. */
const FOLDS: Readonly<Record<string, FoldsOf>> = {
  appFolds,
  claimFolds,
  coinFolds,
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
