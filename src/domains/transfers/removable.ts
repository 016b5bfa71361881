import { type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";

/** The name of the transfer stays: it is what proves the contribution. */
export const CONTRIBUTION_TEXTS = {
  contribution: removable({
    kind: entries.contribution,
    table: "contribution",
    row: { id: "contribution_id" },
    texts: { note: null },
    keeps: async () => "Contributions are kept indefinitely. Their notes can be hidden.",
  }),
} as const satisfies Readonly<Record<string, Removable>>;
