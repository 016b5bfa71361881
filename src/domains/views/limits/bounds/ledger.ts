import { BODY_BYTES_MAX } from "../../../../platform/kernel/proof/entry.ts";
import { SEAL_ENTRIES_MAX } from "../../../../platform/kernel/proof/seal-text.ts";
import { NEWEST_SEALS_MAX_BYTES } from "../../../../platform/ledger/contract.ts";
import { SEALED_WITHIN_S } from "../../../../platform/ledger/seals/seal.ts";
import type { LimitTable } from "../table.ts";

/** The sealed ledger. */
export const LEDGER_BOUNDS: LimitTable = {
  "GET /seal": {
    newest_seals: [
      "Newest seals without limit and cursor",
      NEWEST_SEALS_MAX_BYTES,
      "bytes of JSON",
    ],
  },
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
