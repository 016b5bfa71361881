import type { RowFold } from "../../../ledger/rows/fold.ts";
import { rowFolds } from "../../../rows.ts";
import type { Books } from "../replay.ts";
import { removing } from "./removing.ts";

/** A table whose rows follow from the ledger, or from the books that the audit keeps. */
export type ComparedTable = RowFold<Books>;

/** Every table that follows from the ledger, without an entry yet. */
export const everyTable = (): readonly ComparedTable[] => rowFolds(removing);
