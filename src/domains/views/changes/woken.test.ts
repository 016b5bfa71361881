import assert from "node:assert/strict";
import { eventually } from "../../../../test/postgres-store.ts";
import { eachEngine } from "../../../../test/service.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { knownRestores } from "../../../platform/ledger/seals/restores.ts";
import { views } from "../contract.ts";
import { changesSince } from "./since.ts";

const idsOf = (body: { entries: { id: number }[] }) => body.entries.map(({ id }) => id);

eachEngine("readers of one question that an entry wakes read it once", async (network) => {
  const READERS = 40;
  const ada = await network.register("ada");
  await network.sequenced();
  const { context, ledgerSignal } = network.service;
  const { compiler } = context.read;
  let statements = 0;
  const read: Db = {
    compiler,
    run: (...asked) => context.read.run(...asked),
    all(...asked) {
      statements++;
      return context.read.all(...asked);
    },
  };
  const since = changesSince(knownRestores());
  const ask = (after_id: number) =>
    since({ ...context, read }, views.since.input.parse({ after_id, wait: 25 }));
  const { after_id } = await since(context, views.since.input.parse({ after_id: 0 }));
  const readers = Array.from({ length: READERS }, () => ask(after_id));
  const other = ask(after_id - 1);
  assert.deepEqual(idsOf(await other), [after_id], "another question has its own page");
  await eventually(() => ledgerSignal.waiting() === READERS);
  statements = 0;
  await ada.post("/post", { body: "Wake up." });
  const answers = await Promise.all(readers);
  assert.ok(statements > 0 && statements < READERS, `${statements} statements`);
  for (const answer of answers) assert.deepEqual(idsOf(answer), [after_id + 1]);
});
