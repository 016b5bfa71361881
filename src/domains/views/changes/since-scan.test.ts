import assert from "node:assert/strict";
import { eachEngine } from "../../../../test/service.ts";
import { watchedReads } from "../../../../test/watched-reads.ts";
import { append } from "../../../platform/ledger/append.ts";
import { breachAcknowledged } from "../../../platform/ledger/entries.ts";
import { knownRestores } from "../../../platform/ledger/seals/restores.ts";
import { SINCE_CURSOR_MIN } from "../rules.ts";
import { SCANNED_MAX } from "./ledger-page.ts";
import { changesSince } from "./since.ts";

eachEngine(
  "a search for posts goes on where it ended, and never waits before the head",
  async (service) => {
    const { get, pass, sequenced } = service;
    const { write } = service.service.context;
    const before = (await get("/since?after_id=0&limit=1000")).body.after_id;
    await write(async (tx) => {
      for (let n = 1; n <= SCANNED_MAX; n++)
        append(tx, breachAcknowledged, { of: n, reason: "Filler." });
    });
    await sequenced();
    const ada = await service.register("ada");
    const { id } = (await ada.post("/post", { body: "Found." })).body;
    await sequenced();
    pass(1);
    for (const kinds of ["post", "post,agent"]) {
      const first = (await get(`/since?kinds=${kinds}&after_id=${before}&wait=25`)).body;
      assert.deepEqual(
        [first.entries, first.more, first.after_id, first.next_since],
        [[], true, before + SCANNED_MAX, SINCE_CURSOR_MIN + before + SCANNED_MAX],
      );
      const next = (await get(`/since?kinds=${kinds}&since=${first.next_since}`)).body;
      assert.equal(next.entries.at(-1).ref, `${id}`);
      assert.equal(next.more, false);
    }
    const bySecond = (await get("/since?kinds=post&since=0&wait=25")).body;
    assert.deepEqual([bySecond.entries.length, bySecond.more], [0, true]);
    assert.ok(bySecond.next_since >= SINCE_CURSOR_MIN);
  },
);

eachEngine("of many kinds only the entries of the answer are unpacked", async (service) => {
  const ada = await service.register("ada");
  for (const body of ["one", "two", "three"]) await ada.post("/post", { body });
  await ada.post("/profile", { name: "Ada" });
  await service.sequenced();
  const { context } = service.service;
  let unpacked = 0;
  const read = watchedReads(context.read, {
    after(rows) {
      unpacked += rows.filter((row) => Object.hasOwn(Object(row), "bytes")).length;
    },
  });
  const { entries: all } = (await service.get("/since?after_id=0&with=entry")).body;
  for (const form of ["entry", undefined] as const) {
    unpacked = 0;
    const { entries, more } = await changesSince(knownRestores())(
      { ...context, read },
      { after_id: 0, kinds: "profile,post,agent,genesis", limit: 2, wait: 0, with: form },
    );
    const expected = all.slice(0, 2).map((one: { leaf: string }) => (form ? one.leaf : undefined));
    assert.deepEqual([entries.map(({ leaf }) => leaf), more, unpacked], [expected, true, 3]);
  }
});
