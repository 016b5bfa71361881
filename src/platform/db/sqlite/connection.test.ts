import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { dropSqlite, freshSqlite } from "../../../../test/database.ts";
import { statement } from "../../../../test/statement.ts";
import { insertNumbered } from "../prepared.ts";
import { txOver } from "../transaction.ts";
import { dbOf, openConnection, type SqliteConnection, sqliteCompiler } from "./connection.ts";

let path = "";
let writer: SqliteConnection;

before(() => {
  path = freshSqlite();
  writer = openConnection(path, "writer");
});

after(() => {
  writer.close();
  dropSqlite(path);
});

interface NewAgent {
  readonly agent_id: string;
  readonly handle: string;
}

const insertAgent = insertNumbered("agent", (p: NewAgent) => ({ ...p, created_at: 1 }), ["handle"]);

test("a numbered insert gives the number of the new row, or nothing when a value is taken", async () => {
  const tx = txOver(dbOf(writer));
  const first = await insertAgent.first(tx, { agent_id: "ag_1", handle: "one" });
  const second = await insertAgent.first(tx, { agent_id: "ag_2", handle: "two" });
  const stored = writer.all(statement("select id from agent order by agent_id"), []);
  assert.deepEqual([first, second], stored);
  assert.deepEqual(await insertAgent.all(tx, { agent_id: "ag_3", handle: "one" }), []);
});

test("an update in place of an insert returns the row that was there", () => {
  const upsert = `insert into "agent" ("agent_id", "handle", "created_at") values (?, ?, 1)
    on conflict ("handle") do update set "ref" = 'seen' returning "id"`;
  const [there] = writer.all(statement("select id from agent where handle = 'one'"), []);
  assert.deepEqual(writer.all(statement(upsert), ["ag_4", "one"]), [there]);
});

test("a column called id is the number of its row", () => {
  const database = new DatabaseSync(path);
  const others = database
    .prepare(
      `select t.name from pragma_table_list t, pragma_table_info(t.name) c
       where t.schema = 'main' and t.type = 'table' and c.name = 'id'
         and (t.wr or c.type <> 'INTEGER' or c.pk <> 1)`,
    )
    .all();
  database.close();
  assert.deepEqual(others, []);
});

test("a limit is an expression, so that SQLite does not prepare the query for each value", () => {
  const { sql } = sqliteCompiler.selectFrom("agent").select("id").limit(1).compile();
  assert.match(sql, / limit \? \+ 0$/);
  assert.equal(writer.all(statement(sql), [1]).length, 1);
});
