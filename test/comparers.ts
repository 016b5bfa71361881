import { cpSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DerivedTable } from "../src/cli/audit/derived.ts";
import { derivedTables } from "../src/cli/audit/derived-tables.ts";
import { fileClaims } from "../src/cli/audit/file-claims.ts";
import { emptyBooks } from "../src/cli/audit/replay.ts";
import type { EntryRecord } from "../src/verify/shapes.ts";
import type { Edit } from "./edits.ts";

type Roll = (sides: number) => number;

/** The tables in which an audit by some comparers finds a difference. */
async function unequalIn(file: string, comparers: readonly DerivedTable[]) {
  const books = emptyBooks();
  const claims = fileClaims(file, comparers);
  for (const entry of entriesIn(file)) {
    books.add(entry);
    claims.see(entry, books);
  }
  return (await claims.compared(books, () => {})).groups.filter(({ unequal }) => unequal > 0);
}

function entriesIn(file: string): readonly EntryRecord[] {
  const database = new DatabaseSync(file);
  const rows = database
    .prepare(
      "SELECT ledger_id, at, kind, ref, body FROM ledger_entry WHERE ledger_id > 0 ORDER BY 1",
    )
    .all();
  database.close();
  return rows.map(({ ledger_id, at, kind, ref, body }) => ({
    ...{ id: Number(ledger_id), at: Number(at), kind: String(kind), ref: String(ref) },
    ...{ type: "entry", body: JSON.parse(String(body)), text: {}, entry: "", leaf: "" },
  }));
}

/** Its rows are read, for others name agents by them, and compared with nothing. */
const switchedOff = (comparer: DerivedTable): DerivedTable => ({
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
  for (const name of new Set(derivedTables().map(({ table }) => table))) {
    let isNeeded = false;
    for (const edit of edits.filter(({ table }) => table === name)) {
      cpSync(whole, copy);
      if (!edit.apply(copy, roll) || (await unequalIn(copy, derivedTables())).length === 0)
        continue;
      const others = derivedTables().map((each) =>
        each.table === name ? switchedOff(each) : each,
      );
      isNeeded = (await unequalIn(copy, others)).length === 0;
      if (isNeeded) break;
    }
    if (!isNeeded) needless.push(name);
  }
  return needless;
}
