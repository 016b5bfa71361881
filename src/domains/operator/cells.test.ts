import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./cells.ts";
import type { Column } from "./look.ts";

const columns: readonly Column[] = [
  { key: "id", title: "id", as: "id" },
  { key: "agent_id", title: "agent", as: "agent" },
  { key: "at", title: "when", as: "time" },
  { key: "amount", title: "coins", as: "coin" },
  { key: "text", title: "text", as: "text" },
];
const list = (text: string | null) => ({
  name: "rows",
  title: "",
  columns,
  rows: [{ id: 7, agent_id: "ag_1", handle: "ada", at: 0, amount: -1_500_000, text }],
});

test("a list as CSV: quoted where it must be, no formula, and it says where there is more", () => {
  assert.equal(
    csvOf(list('He said "no",\ntwice.'), 371),
    'id,agent,when,coins,text\n7,ada,1970-01-01T00:00:00Z,-1.5,"He said ""no"",\ntwice."\nThere are more: go on from 371.\n',
  );
  for (const mark of ["=", "+", "-", "@", "\t", "\r"]) {
    const [, , cell = ""] =
      /^([^\n]*\n[^,]*,[^,]*,[^,]*,[^,]*,)(.*)/s.exec(csvOf(list(`${mark}1`), null)) ?? [];
    assert.ok(cell.startsWith(mark === "\r" ? "\"'" : "'"), JSON.stringify(cell));
  }
  assert.ok(csvOf(list(null), null).endsWith(",-1.5,\n"));
});
