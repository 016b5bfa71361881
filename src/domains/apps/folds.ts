import type { RowFold } from "../../platform/ledger/rows/fold.ts";
import { rowName, textIn } from "../../platform/ledger/rows/told.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = { app_page: { app: "sealed", html: "sealed" } } as const;

/** What an emptied text hashes to. Only an entry that names the purge makes this the right hash. */
const EMPTY_SHA256 = sha256Hex("");

/** Hosted pages: each is the one whose hash was sealed, or was purged, which is sealed too. */
function pages(): RowFold {
  const hashes = new Map<string, string>();
  return {
    table: "app_page",
    stands: "at_commit",
    stored: (row) => [
      rowName("app", row["app"]),
      { html_sha256: sha256(Buffer.from(String(row["html"]), "base64url")).toHex() },
    ],
    add(entry) {
      const name = rowName("app", entry.body["app_id"]);
      if (entry.kind === "app" && entry.body["html_sha256"] !== undefined)
        hashes.set(name, textIn(entry, "html_sha256"));
      if (entry.kind === "app_purged") hashes.set(name, EMPTY_SHA256);
    },
    made: () => new Map([...hashes].map(([name, html_sha256]) => [name, { html_sha256 }])),
  };
}

/** The pages, which no entry contains. */
export const appFolds = (): readonly RowFold[] => [pages()];
