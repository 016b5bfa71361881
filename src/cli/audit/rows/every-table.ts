import { rowFolds } from "../../../domains/rows.ts";
import type { RowFold } from "../../../platform/ledger/rows/fold.ts";
import type { Books } from "../replay.ts";
import { removing } from "./removing.ts";

/** A table whose rows follow from the ledger, or from the books that the audit keeps. */
export type ComparedTable = RowFold<Books>;

/** Every table that follows from the ledger, without an entry yet. */
export const everyTable = (): readonly ComparedTable[] => rowFolds(removing);
