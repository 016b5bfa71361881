import assert from "node:assert/strict";
import { test } from "node:test";
import { auditRun } from "../src/cli/audit.ts";
import { writeExport } from "../src/cli/export.ts";
import { openSnapshot } from "../src/main/database.ts";
import { statement } from "./statement.ts";
import { newFile } from "./verify-run.ts";
import { ENGINES, openTestWorld, type TestWorld } from "./world.ts";

for (const engine of ENGINES) {
  test(`a transfer that was made to count twice is found in the ledger [${engine}]`, async () => {
    const world = await openTestWorld(engine, "twice");
    try {
      await countTwice(world);
    } finally {
      await world.close();
    }
  });
}

/** What somebody can do who has the database: the register forgets, and the network is asked again. */
async function countTwice(world: TestWorld): Promise<void> {
  const ada = await world.register();
  const contribute = async (txid: string) =>
    (await ada.post("/contribute", { currency: "other", txid, amount: "1" })).status;
  const hourly = async () => {
    await world.sequenced();
    await world.duties.jobs.find(({ name }) => name === "transfer_audit")?.run();
    return world.world.books.violations();
  };
  const audits = async () => {
    await world.seal();
    const written = newFile();
    const snapshot = await openSnapshot(world.configuration);
    await writeExport(snapshot, written).finally(() => snapshot.close());
    const runs = [world.url, written].map((from) => auditRun([from, "--state", newFile()]));
    return Promise.all(runs);
  };
  for (const txid of ["A parcel", "b".repeat(64)]) assert.equal(await contribute(txid), 201);
  assert.equal(await contribute("A parcel"), 409);
  assert.equal(await hourly(), 0);
  for (const { exit_code, text } of await audits()) assert.equal(exit_code, 0, text);

  const change = (sql: string) => world.world.context.write((tx) => tx.run(statement(sql), []));
  const on = world.engine === "postgres" ? " on chain_tx" : "";
  await change(`drop trigger chain_tx_is_never_deleted${on}`);
  await change("delete from chain_tx where key = 'A parcel'");
  assert.equal(await contribute("A parcel"), 201);
  assert.equal(await hourly(), 1);
  assert.equal(await hourly(), 1, "told once");
  assert.deepEqual(world.alarms.splice(0), ["transfer_violation"]);
  for (const { exit_code, text } of await audits()) {
    assert.equal(exit_code, 1);
    assert.match(text, /Entry \d+ breaks a rule: I13, contribution\/3 .* contribution\/1 has used/);
  }
}
