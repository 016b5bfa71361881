import type { Seconds } from "../../platform/kernel/time.ts";

/** A text that was ever hidden or erased, by the kind and ref of its entry. */
interface TextRemovalTable {
  kind: string;
  ref: string;
  /** How often it was hidden so far. */
  hidings: number;
  /** Null while it is shown. */
  hidden_at: Seconds | null;
  erased_at: Seconds | null;
}

/** The words of a hidden text, which are nowhere else meanwhile. */
interface HiddenTextTable {
  kind: string;
  ref: string;
  /** The column that it comes from. */
  field: string;
  body: string;
}

/** The operator's reasons; kind and ref are those of the entry that says so. */
interface TextNoticeTable {
  kind: "text_hidden" | "text_shown";
  ref: string;
  rule: string | null;
  reason: string | null;
  created_at: Seconds;
}

export interface RemovalTables {
  text_removal: TextRemovalTable;
  hidden_text: HiddenTextTable;
  text_notice: TextNoticeTable;
}
