import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { inventAct } from "../../../test/invented-acts.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { findAgent } from "./agents.ts";
import { grantRecognition, type Recognition } from "./recognition.ts";

async function grant(
  { service }: TestService,
  to: TestAgent,
  what: Omit<Recognition, "agent">,
): Promise<number> {
  const agent = await findAgent(service.context, to.agent_id);
  if (what.source !== undefined) inventAct(agent.agent_id, what.source);
  return service.context.write((tx) => grantRecognition(tx, service.context, { agent, ...what }));
}

eachEngine("recognition days add up on /me and are in the ledger", async (service) => {
  const ada = await service.register("ada");
  const bob = await service.register("bob");
  assert.equal((await ada.get("/me")).body.recognition_days, 0);
  const at = service.service.context.clock.now();
  const note = "For the proof that nobody found.";
  assert.equal(await grant(service, ada, { days: 3, why: "grant", note }), 1);
  await grant(service, ada, { days: 4, why: "quest", source: "quest/7" });
  await grant(service, bob, { days: 90, why: "proposal", source: "claim/1" });

  const { body: me } = await ada.get("/me");
  assert.equal(me.recognition_days, 7);
  assert.deepEqual(me.recognition, [
    { days: 4, reason: "quest", ref: "quest/7", note: null, at },
    { days: 3, reason: "grant", ref: null, note, at },
  ]);
  assert.equal((await bob.get("/me")).body.recognition_days, 90);

  await service.sequenced();
  const [first, second] = (await readLedger(service)).filter(({ kind }) => kind === "recognition");
  const note_sha256 = createHash("sha256").update(note).digest("hex");
  const body = { recognition_id: 1, agent: ada.agent_id, days: 3, why: "grant", note_sha256 };
  assert.deepEqual(first?.body, body);
  assert.deepEqual(first.text, { note });
  assert.equal(second?.body["source"], "quest/7");
  assert.deepEqual(second.text, {});
});

eachEngine("a note has so many characters, whatever they are in UTF-16", async (service) => {
  const ada = await service.register("ada");
  const note = "🪨".repeat(500);
  assert.equal(await grant(service, ada, { days: 1, why: "grant", note }), 1);
});

eachEngine("days out of bounds are refused and leave nothing", async (service) => {
  const ada = await service.register("ada");
  for (const days of [0, -1, 1.5, 3_651, Number.NaN])
    await assert.rejects(grant(service, ada, { days, why: "grant" }), /whole days/, `${days}`);
  await assert.rejects(grant(service, ada, { days: 1, why: "grant", note: "🪨".repeat(501) }));
  assert.equal((await ada.get("/me")).body.recognition_days, 0);
  await service.sequenced();
  assert.ok((await readLedger(service)).every(({ kind }) => kind !== "recognition"));
});
