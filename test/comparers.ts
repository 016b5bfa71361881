import { cpSync } from "node:fs";
import { emptyBooks } from "../src/cli/audit/replay.ts";
import type { ComparedTable } from "../src/cli/audit/rows/every-table.ts";
import { everyTable } from "../src/cli/audit/rows/every-table.ts";
import { fileClaims } from "../src/cli/audit/rows/file-claims.ts";
import { sqliteSnapshot } from "../src/platform/db/sqlite/copy.ts";
import { entriesAfter } from "../src/platform/ledger/entry-queries.ts";
import type { EntryRecord } from "../src/verify/shapes.ts";
import type { Edit } from "./edits.ts";

type Roll = (sides: number) => number;

/** The tables in which an audit by some comparers finds a difference. */
async function unequalIn(file: string, comparers: readonly ComparedTable[]) {
  const books = emptyBooks();
  const claims = fileClaims(file, comparers);
  for (const entry of await entriesIn(file)) {
    books.add(entry);
    await claims.see(entry, books);
  }
  return (await claims.compared(books, async () => {})).groups.filter(({ unequal }) => unequal > 0);
}

async function entriesIn(file: string): Promise<readonly EntryRecord[]> {
  const snapshot = sqliteSnapshot(file);
  const limit = Number.MAX_SAFE_INTEGER;
  const rows = await entriesAfter.all(snapshot.read, { after_id: 0, limit });
  await snapshot.close();
  return rows.map(({ ledger_id: id, body, ...named }) => ({
    id,
    ...named,
    type: "entry",
    body: JSON.parse(body),
    text: {},
    entry: "",
    leaf: "",
  }));
}

/** Its rows are read, for others name agents by them, and compared with nothing. */
const switchedOff = (comparer: ComparedTable): ComparedTable => ({
  ...comparer,
  stored: () => ["", null],
  made: () => new Map(),
});

/**
 * Tables that the list of comparers could do without: none of their edits is found with their comparer and
 * missed when it is switched off. `copy` is where the edited file goes.
 */
export async function needlessComparers(
  edits: readonly Edit[],
  { whole, copy, roll }: { readonly whole: string; readonly copy: string; readonly roll: Roll },
): Promise<readonly string[]> {
  const needless: string[] = [];
  for (const name of new Set(everyTable().map(({ table }) => table))) {
    let isNeeded = false;
    for (const edit of edits.filter(({ table }) => table === name)) {
      cpSync(whole, copy);
      if (!edit.apply(copy, roll) || (await unequalIn(copy, everyTable())).length === 0) continue;
      const others = everyTable().map((each) => (each.table === name ? switchedOff(each) : each));
      isNeeded = (await unequalIn(copy, others)).length === 0;
      if (isNeeded) break;
    }
    if (!isNeeded) needless.push(name);
  }
  return needless;
}
