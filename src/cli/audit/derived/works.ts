import { columns, near, rowName } from "../../../ledger/rows/told.ts";
import { countIn, entryRows, notices, numbered } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

const TEXTS = { name: "name_sha256", kind: "kind_sha256", homepage: "homepage_sha256" };

const apps = (): DerivedTable =>
  entryRows({
    table: "app",
    kinds: ["app"],
    id: numbered("app", "app_id"),
    columns: {
      ...{ agent: "agent", repository: "repo_id", valuation_usd_micro: "valuation_usd_micro" },
      ...{ html_sha256: "html_sha256", html_bytes: "html_bytes" },
    },
    agents: ["agent"],
    hashed: { ...TEXTS, description: "description_sha256" },
    newlyHashed: { slug: "slug_sha256" },
    times: ["created_at"],
    more: {
      row: (row) => columns(row, "hidden_at", "hidings", "purged_at"),
      entry: () => ({ hidden_at: null, hidings: 0, purged_at: null }),
    },
    later: {
      of: ({ kind, body }) => (kind.startsWith("app_") ? [rowName("app", body["app_id"])] : []),
      figures(entry) {
        const at = near(entry.at);
        if (entry.kind === "app_purged") return { purged_at: at };
        if (entry.kind === "app_unhidden") return { hidden_at: null };
        return { hidden_at: at, hidings: countIn(entry) };
      },
    },
  });

/** What agents made, said and gave. */
export const worksTables = (): readonly DerivedTable[] => [
  apps(),
  notices("app_notice", ["app_hidden", "app_unhidden", "app_purged"], {
    app: "app_id",
    rule: "rule",
  }),
];
