import { rowName } from "../../../ledger/rows/told.ts";
import { entryRows } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const acceptances = (): DerivedTable =>
  entryRows({
    table: "proposal_acceptance",
    kinds: ["proposal_accepted"],
    id: {
      row: ({ claim }) => rowName("claim", claim),
      entry: ({ body }) => rowName("claim", body["claim_id"]),
    },
    columns: { days: "days", recognition: "recognition_id", announcement: "announcement_id" },
    times: ["accepted_at"],
  });

/** The tables of shared decisions. */
export const commonsTables = (): readonly DerivedTable[] => [acceptances()];
