import { ACT_GAP_MAX, NOT_AFTER_MAX_S } from "../../../identity/keys/act-rule.ts";
import { BODY_BYTES_MAX } from "../../../kernel/proof/entry.ts";
import { SEAL_ENTRIES_MAX } from "../../../kernel/proof/seal-text.ts";
import { NEWEST_SEALS_MAX_BYTES } from "../../../ledger/contract.ts";
import { SEALED_WITHIN_S } from "../../../ledger/seals/seal.ts";
import type { LimitTable } from "../table.ts";

/** The sealed ledger. */
export const LEDGER_BOUNDS: LimitTable = {
  "GET /seal": {
    newest_seals: [
      "Without limit and cursor the newest seals end there, with more",
      NEWEST_SEALS_MAX_BYTES,
      "bytes of JSON",
    ],
  },
  "signed acts": {
    act_gap: ["The number of an act is at most this much over the last", ACT_GAP_MAX, "numbers"],
    act_ahead: ["An act is signed for at most", NOT_AFTER_MAX_S, "seconds ahead"],
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
