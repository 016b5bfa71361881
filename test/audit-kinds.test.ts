import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { emptyBooks } from "../src/cli/audit/replay.ts";
import { everyTable } from "../src/cli/audit/rows/every-table.ts";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { KINDS_WITHOUT_ROWS } from "../src/domains/rows.ts";

/** What the audit's books and tables do with an entry of a kind: the fields that they read, and where they refuse it. */
function reading(kind: string): readonly string[] {
  const read: string[] = [];
  const body = new Proxy<Record<string, string | number>>(
    {},
    {
      get(_, field) {
        read.push(String(field));
        return undefined;
      },
    },
  );
  const entry = { id: 1, at: 1, kind, ref: "1/1", body };
  const books = emptyBooks();
  for (const reader of [books, ...everyTable()])
    try {
      reader.add?.(entry, books);
    } catch {
      read.push("refused");
    }
  return read;
}

/** The kinds that are treated as one that this program does not know. */
function unread(kinds: readonly string[]): readonly string[] {
  const unknown = reading("ghost").join();
  return kinds.filter((kind) => reading(kind).join() === unknown);
}

const kinds = ENTRY_KINDS.map(({ kind }) => kind);
const reasons = Object.entries(KINDS_WITHOUT_ROWS);

test("the audit compares what follows from each kind, or it is said why not", () => {
  assert.deepEqual(unread(kinds).toSorted(), reasons.map(([kind]) => kind).toSorted());
  assert.deepEqual(unread(["post", "an_unread_kind"]), ["an_unread_kind"]);
});

test("the document has each kind that is not compared with its reason", () => {
  const page = readFileSync(new URL("../docs/reference/audit.md", import.meta.url), "utf8");
  const [, after = ""] = page.split("## Kinds\n");
  assert.deepEqual(
    [...after.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, ...row]) => row),
    reasons,
  );
});
