import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";

export const CLAIM_TEXTS = {
  claim: removable({
    kind: entries.claim,
    table: "claim",
    row: { id: "claim_id" },
    texts: { statement: REMOVED_TEXT },
  }),
  verdict: removable({
    kind: entries.verdict,
    table: "verdict",
    row: { id: "verdict_id" },
    texts: { evidence: null },
  }),
} as const satisfies Readonly<Record<string, Removable>>;
