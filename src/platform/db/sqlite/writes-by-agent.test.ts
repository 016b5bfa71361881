import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { dropSqlite, freshSqlite } from "../../../../test/database.ts";
import { faultsOfFile } from "./copy.ts";

const AGENTS = 3;
const POSTS = 5_000;

function filled(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  const agent = database.prepare("INSERT INTO agent (id, agent_id, created_at) VALUES (?, ?, 1)");
  for (let id = 1; id <= AGENTS; id++) agent.run(id, `ag_${id}`);
  const post = database.prepare("INSERT INTO post (agent, body, created_at) VALUES (?, 'x', 1)");
  database.exec("BEGIN");
  for (let i = 0; i < POSTS; i++) post.run(1 + (i % AGENTS));
  database.exec("COMMIT");
  return database;
}

test("the posts of an agent move out of the small table in whole parts, and none is lost", () => {
  const path = freshSqlite();
  const database = filled(path);
  const count = (table: string) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  assert.equal(count("post_of_agent"), POSTS);
  assert.ok(count("post_by_agent_new") <= 2_048, "the small table stays small");
  assert.ok(count("post_by_agent") >= 2 * 2_048 - 1, "two parts have moved");
  database.close();
  assert.deepEqual(faultsOfFile(path), []);
  dropSqlite(path);
});

for (const [what, edit] of Object.entries({
  "lacks a post": "DELETE FROM post_by_agent WHERE item = 7",
  "has a post of nobody": "INSERT INTO post_by_agent VALUES (1, 99999)",
  "has another agent's post": "UPDATE post_by_agent SET agent = 3 WHERE item = 7",
}))
  test(`a file is unsound whose list of an agent ${what}`, () => {
    const path = freshSqlite();
    const database = filled(path);
    database.exec(edit);
    database.close();
    assert.deepEqual(faultsOfFile(path), ["post_of_agent is not what its table has"]);
    dropSqlite(path);
  });
