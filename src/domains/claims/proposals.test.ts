import assert from "node:assert/strict";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, START, type TestAgent } from "../../../test/service.ts";
import { verifyAnnouncement } from "../../client/verify.ts";
import { acceptProposal } from "./proposals.ts";

/** Publishes a proposal and lets others judge it; resolves to its id. */
async function propose(author: TestAgent, judges: readonly (readonly [TestAgent, string])[]) {
  const statement = "The feed should show when a post was hidden, and by which rule.";
  const { body } = await author.post("/claim", { kind: "proposal", statement });
  for (const [judge, outcome] of judges)
    await judge.post("/claim/resolve", { claim_id: body.id, outcome });
  return body.id;
}

eachEngine("proposals are ranked by endorsements, then rejections, then age", async (service) => {
  const [ada, bob, eve] = [
    await service.register("ada"),
    await service.register("bob"),
    await service.register("eve"),
  ];
  const plain = await propose(ada, []);
  const rejected = await propose(ada, [[bob, "false"]]);
  const disputed = await propose(ada, [
    [bob, "true"],
    [eve, "false"],
  ]);
  const endorsed = await propose(bob, [[ada, "true"]]);
  const newer = await propose(bob, [[ada, "true"]]);
  const best = await propose(eve, [
    [ada, "true"],
    [bob, "true"],
  ]);
  const own = await propose(eve, [[eve, "true"]]);
  await ada.post("/claim", { statement: "This is no proposal." });
  const { body } = await service.get("/proposals");
  const ids = (list: { id: number }[]) => list.map(({ id }) => id);
  assert.deepEqual(ids(body.proposals), [best, newer, endorsed, disputed, own, plain, rejected]);
  assert.equal(body.count, 7);
  const { endorsements, rejections, accepted, verified } = body.proposals[3];
  assert.deepEqual([endorsements, rejections, accepted, verified], [1, 1, null, false]);
  assert.deepEqual(ids((await service.get("/proposals?limit=2")).body.proposals), [best, newer]);
});

eachEngine("an accepted proposal is announced, signed and paid in one write", async (service) => {
  const {
    get,
    service: { context, signer },
  } = service;
  const ada = await service.register("ada");
  const claim_id = await propose(ada, []);
  const made = await acceptProposal(context, signer, { claim_id, days: 30 });
  assert.deepEqual(made, { announcement_id: 1, recognition_id: 1 });

  const [proposal] = (await get("/proposals")).body.proposals;
  assert.deepEqual(proposal.accepted, { at: START, recognition_days: 30, announcement_id: 1 });
  const { body: me } = await ada.get("/me");
  assert.equal(me.recognition_days, 30);
  assert.deepEqual(me.recognition[0].ref, `claim/${claim_id}`);

  const { body: verify } = await get("/verify");
  const [announcement] = verify.announcements;
  assert.equal(announcement.kind, "proposal_accepted");
  assert.ok(announcement.body.includes(ada.agent_id));
  const pin = { origin: verify.origin, key: verify.public_key };
  assert.equal(verifyAnnouncement(announcement, pin).proven, true);
  const altered = { ...announcement, body: announcement.body.replace("30", "90") };
  assert.equal(verifyAnnouncement(altered, pin).proven, false);

  await service.sequenced();
  const entries = (await readLedger(service)).slice(-3);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["announcement", "recognition", "proposal_accepted"],
  );
  const { title, body } = announcement;
  assert.deepEqual(entries[0]?.text, { title, body });
  assert.equal(entries[0]?.body["signature"], announcement.signature);
  assert.deepEqual(entries[2]?.body, { claim_id, agent: ada.agent_id, days: 30, ...made });
});

eachEngine("a refused acceptance leaves nothing behind", async (service) => {
  const {
    service: { context, signer },
  } = service;
  const ada = await service.register("ada");
  const claim_id = await propose(ada, []);
  const { body: plain } = await ada.post("/claim", { statement: "This is no proposal." });
  const accept = (id: number, days: number, by = signer) =>
    acceptProposal(context, by, { claim_id: id, days });
  await assert.rejects(accept(99, 3), /no proposal/);
  await assert.rejects(accept(plain.id, 3), /no proposal/);
  await assert.rejects(accept(claim_id, 0), /whole days/);
  await assert.rejects(accept(claim_id, 3, null), /operator's key/);
  assert.ok(signer);
  await assert.rejects(accept(claim_id, 3, { ...signer, keyOf: () => null }), /operator's key/);
  const raced = await Promise.allSettled(Array.from({ length: 4 }, () => accept(claim_id, 3)));
  assert.equal(raced.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(accept(claim_id, 3), /accepted already/);
  assert.equal((await ada.get("/me")).body.recognition_days, 3);
  assert.equal((await service.get("/verify")).body.announcements.length, 1);
});
