import type { EntryKind, ShownEntry } from "../platform/kernel/contract/entry-kind.ts";
import * as ledger from "../platform/ledger/entries.ts";
import * as apps from "./apps/entries.ts";
import * as claims from "./claims/entries.ts";
import * as coin from "./coin/entries.ts";
import * as commons from "./commons/entries.ts";
import * as feed from "./feed/entries.ts";
import * as identity from "./identity/entries.ts";
import * as market from "./market/entries.ts";
import * as removals from "./removals/entries.ts";
import * as repositories from "./repositories/entries.ts";
import * as requests from "./requests/entries.ts";
import * as tasks from "./tasks/entries.ts";
import * as tlog from "./tlog/entries.ts";
import * as transfers from "./transfers/entries.ts";

const kinds = {
  ...identity,
  ...feed,
  ...repositories,
  ...apps,
  ...claims,
  ...commons,
  ...requests,
  ...tasks,
  ...coin,
  ...transfers,
  ...market,
  ...ledger,
  ...tlog,
  ...removals,
};

/** Every kind of ledger entry that this version appends, in the order of docs/reference/ledger.md. */
export const ENTRY_KINDS: readonly EntryKind[] = Object.values(kinds);

/** The kinds whose entries hold hashes of texts. */
export type HashingKind = {
  [K in keyof typeof kinds]: `${string}_sha256` & keyof (typeof kinds)[K]["fields"] extends never
    ? never
    : (typeof kinds)[K]["kind"];
}[keyof typeof kinds];

/** An entry of a kind that this version appends, as `GET /since` shows it. */
export type LedgerEntry = {
  [K in keyof typeof kinds]: ShownEntry<(typeof kinds)[K]>;
}[keyof typeof kinds];
