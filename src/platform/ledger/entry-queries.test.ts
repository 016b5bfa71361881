import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../../test/plan.ts";
import { withStore } from "../../../test/postgres-store.ts";
import { ENGINES, openTestService } from "../../../test/service.ts";
import type { Db } from "../db/engine.ts";
import { postgresCompiler } from "../db/postgres/connection.ts";
import * as entries from "./entry-queries.ts";

/** Queries, and the index that each has to use. */
const QUERIES: readonly (readonly [(db: Db) => Promise<unknown>, "kind" | "name" | "id"])[] = [
  [(db) => entries.entriesOfKind.all(db, { kind: "genesis" }), "kind"],
  [
    (db) => entries.ofKindAfter.withBodies.all(db, { kind: "agent", after_id: 1, limit: 9 }),
    "kind",
  ],
  [(db) => entries.ofKindAfter.whole.all(db, { kind: "agent", after_id: 1, limit: 9 }), "kind"],
  [(db) => entries.idsAfter.all(db, { kind: "announcement", after_id: 1, limit: 9 }), "kind"],
  [
    (db) => entries.idsAfter.all(db, { kind: "agent", after_id: 1, before_id: 9, limit: 9 }),
    "kind",
  ],
  [(db) => entries.idsBefore.all(db, { kind: "announcement", limit: 1 }), "kind"],
  [(db) => entries.entryByRef.first(db, { kind: "post", ref: "1" }), "name"],
  [(db) => entries.entryAndSeal.first(db, { kind: "agent", ref: "ag_1" }), "name"],
  [(db) => entries.postsWithin.withBodies.all(db, { after_id: 1, to_id: 9, limit: 9 }), "id"],
  [(db) => entries.postIdsWithin.all(db, { after_id: 1, to_id: 9, limit: 9 }), "id"],
  [(db) => entries.sealedAfter.all(db, { after_id: 1, limit: 9 }), "id"],
  [(db) => entries.entryById.first(db, { ledger_id: 1 }), "id"],
];

const SQLITE = {
  kind: /SEARCH e USING (COVERING )?INDEX ledger_entry_by_kind \(kind=\?/,
  name: /SEARCH e USING INDEX sqlite_autoindex_ledger_entry_1 \(kind=\? AND ref=\?\)/,
  id: /SEARCH e USING INTEGER PRIMARY KEY/,
};

test("queries of one kind, one name and a range use an index each [sqlite]", async () => {
  const service = await openTestService("sqlite", "entry-queries");
  const { read } = service.service.context;
  try {
    for (const [ask, by] of QUERIES) {
      const plan = await planOf(read, ask);
      assert.match(plan, SQLITE[by]);
      assert.doesNotMatch(plan, /SCAN e|TEMP B-TREE/);
    }
  } finally {
    await service.close();
  }
});

const POSTGRES = {
  kind: /using ledger_entry_by_kind on ledger_entry/,
  name: /using ledger_entry_kind_ref_key on ledger_entry/,
  id: /using ledger_entry_pkey on ledger_entry/,
};

if (ENGINES.includes("postgres"))
  test("queries of one kind, one name and a range use an index each [postgres]", () =>
    withStore(async ({ other }) => {
      await other.query("SET enable_seqscan = off; SET enable_bitmapscan = off");
      for (const [ask, by] of QUERIES) {
        let plan = "";
        const explaining: Db = {
          compiler: postgresCompiler,
          run: async () => 0,
          async all({ sql }, values) {
            const { rows } = await other.query(`EXPLAIN ${sql}`, [...values]);
            plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
            return [];
          },
        };
        await ask(explaining);
        assert.match(plan, POSTGRES[by]);
      }
    }));
