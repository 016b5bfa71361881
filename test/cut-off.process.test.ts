import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Client } from "pg";
import { clientOf, ENGINES } from "./service.ts";
import { type Site, siteFor } from "./site.ts";

/** What a service leaves that was killed between the mark of a write and the write, or before its answer. */
const CUTS = {
  "before the write": "UPDATE write_mark SET answer = NULL; DELETE FROM own_write",
  "before the answer": "UPDATE write_mark SET answer = NULL",
} as const;

async function run({ engine, dataDir, variables }: Site, statements: string): Promise<void> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(join(dataDir, "cairn.db"));
    database.exec(statements);
    database.close();
    return;
  }
  const client = new Client(variables["CAIRN_DATABASE_URL"]);
  await client.connect();
  await client.query(statements);
  await client.end();
}

for (const engine of ENGINES)
  for (const [moment, statements] of Object.entries(CUTS))
    test(`a write that was cut off ${moment} is made once, and at once after the start [${engine}]`, async (t) => {
      const site = await siteFor(t, engine);
      const killed = await site.start();
      const { token } = (await clientOf(killed.url).post("/register")).body;
      const sent = { body: "A stone.", client_ref: "one" };
      const first = await clientOf(killed.url).post("/post", sent, { token });
      await killed.stop("SIGKILL");
      await run(site, statements);
      const again = await site.start();
      const { status, body } = await clientOf(again.url).post("/post", sent, { token });
      const isStored = moment === "before the answer";
      assert.deepEqual([status, body.repeated ?? false], isStored ? [200, true] : [201, false]);
      assert.equal(body.id, first.body.id + (isStored ? 0 : 1));
      assert.equal(await again.stop("SIGTERM"), 0);
    });
