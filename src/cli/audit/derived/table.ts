import type { RowFold } from "../../../ledger/rows/fold.ts";
import type { Books } from "../replay.ts";

/** A table whose rows follow from the ledger, or from the books that the audit keeps. */
export type DerivedTable = RowFold<Books>;
