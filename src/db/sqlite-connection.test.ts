import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { dropSqlite, freshSqlite } from "../../test/database.ts";
import { statement } from "../../test/statement.ts";
import { openConnection, type SqliteConnection, sqliteCompiler } from "./sqlite-connection.ts";

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

const COLUMNS = `insert into "agent" ("agent_id", "handle", "created_at") values (?, ?, 1)`;

test("an insert that returns its id gives the number of the new row", () => {
  const insert = statement(`${COLUMNS} returning "id"`);
  const [first] = writer.all(insert, ["ag_1", "one"]);
  const [second] = writer.all(insert, ["ag_2", "two"]);
  const stored = writer.all(statement("select id from agent order by agent_id"), []);
  assert.deepEqual([first, second], stored);
});

test("an insert that a conflict prevents returns nothing", () => {
  const insert = statement(`${COLUMNS} on conflict ("handle") do nothing returning "id"`);
  assert.deepEqual(writer.all(insert, ["ag_3", "one"]), []);
});

test("an update in place of an insert returns the row that was there", () => {
  const upsert = `${COLUMNS} on conflict ("handle") do update set "ref" = 'seen' returning "id"`;
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
