import { BODY_BYTES_MAX } from "../../kernel/entry.ts";
import { SEAL_ENTRIES_MAX } from "../../kernel/seal-text.ts";
import { SEALED_WITHIN_S } from "../../ledger/seal.ts";
import type { LimitTable } from "../limit-table.ts";

/** The sealed ledger. */
export const LEDGER_BOUNDS: LimitTable = {
  "the sealed ledger": {
    entry_body: ["Body of one entry", BODY_BYTES_MAX, "bytes"],
    seal_entries: ["Entries under one seal", SEAL_ENTRIES_MAX, "entries"],
    sealed_within: [
      "While the service runs, an entry is sealed within",
      SEALED_WITHIN_S,
      "seconds",
    ],
  },
};
