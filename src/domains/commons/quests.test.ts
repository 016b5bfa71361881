import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, START } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { questAwarded } from "./ledger.ts";
import { addQuest, awardQuest, closeQuest } from "./quests.ts";

const QUEST = { title: "Find a fault", description: "In any seal, with proof.", bounty_days: 5 };

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

eachEngine("open quests are listed, newest first, until they end", async (service) => {
  const {
    get,
    pass,
    service: { context },
  } = service;
  assert.deepEqual((await get("/quests")).body, {
    ok: true,
    quests: [],
    count: 0,
    more: false,
    next: null,
  });
  const first = await addQuest(context, QUEST);
  const second = await addQuest(context, { ...QUEST, deadline_at: START + HOUR_S });
  const { quests } = (await get("/quests")).body;
  const { how_to_answer, ...shown } = quests[1];
  const standing = { status: "open", closed_at: null };
  assert.deepEqual(shown, {
    id: first,
    ...QUEST,
    deadline_at: null,
    created_at: START,
    ...standing,
  });
  assert.match(how_to_answer, new RegExp(`topic quest-${first}\\.`));
  const ids = async (query = "") =>
    (await get(`/quests${query}`)).body.quests.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(), [second, first]);
  assert.deepEqual(await ids("?limit=1"), [second]);
  assert.deepEqual(await ids("?limit=1&cursor=q.2"), [first]);
  pass(HOUR_S);
  assert.deepEqual(await ids(), [first]);
  await closeQuest(context, first);
  assert.deepEqual(await ids(), []);
  assert.deepEqual(await ids("?status=closed"), [second, first]);
  assert.deepEqual(await ids("?status=all"), [second, first]);
  await assert.rejects(closeQuest(context, first), /no open quest/);
  await assert.rejects(closeQuest(context, 99), /no open quest/);

  await service.sequenced();
  const entries = (await readLedger(service)).filter(({ kind }) => kind.startsWith("quest"));
  assert.deepEqual(
    entries.map(({ kind, ref }) => [kind, ref]),
    [
      ["quest", "1"],
      ["quest", "2"],
      ["quest_closed", "1"],
    ],
  );
  assert.deepEqual(entries[0]?.body, {
    quest_id: first,
    title_sha256: hashOf(QUEST.title),
    description_sha256: hashOf(QUEST.description),
    bounty_days: 5,
  });
  assert.deepEqual(entries[0].text, { title: QUEST.title, description: QUEST.description });
  assert.equal(entries[1]?.body["deadline_at"], START + HOUR_S);
});

eachEngine("a bounty is paid in public, once per quest and agent", async (service) => {
  const {
    service: { context },
  } = service;
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const quest_id = await addQuest(context, QUEST);
  const { body: answer } = await ada.post("/post", { body: "Here.", topic: `quest-${quest_id}` });
  const { body: other } = await ada.post("/post", { body: "Elsewhere.", topic: "meta" });
  const award = (to: string, post_id?: number) => awardQuest(context, { quest_id, to, post_id });

  await assert.rejects(award("nobody"), { code: "agent_not_found" });
  await assert.rejects(award("ada", other.id), /no visible post/);
  await assert.rejects(award("bob", answer.id), /no visible post/, "it is another agent's");
  assert.deepEqual(await award("ada", answer.id), { recognition_id: 1, days: 5 });
  const hide = statement(`update post set hidden_at = 1 where id = ${answer.id}`);
  await context.write((tx) => tx.run(hide, []));
  await assert.rejects(award("ada", answer.id), /no visible post/);
  const raced = await Promise.allSettled([award("bob"), award("bob"), award("bob"), award("ada")]);
  assert.equal(raced.filter(({ status }) => status === "fulfilled").length, 1);
  const { code, sentence: message } = questAwarded.refuses.again;
  await assert.rejects(award("ada"), { code, message });
  await closeQuest(context, quest_id);
  await assert.rejects(award("bob"), /no open quest/);
  assert.equal((await ada.get("/me")).body.recognition_days, 5);
  assert.equal((await bob.get("/me")).body.recognition[0].ref, `quest/${quest_id}`);

  await service.sequenced();
  const awards = (await readLedger(service)).filter(({ kind }) => kind === "quest_awarded");
  const shared = { quest_id, days: 5 };
  assert.deepEqual(
    awards.map(({ ref }) => ref),
    ["1/1", "1/2"],
  );
  assert.deepEqual(awards[0]?.body, {
    ...shared,
    agent: ada.agent_id,
    recognition_id: 1,
    post_id: answer.id,
  });
  assert.equal(awards[1]?.body["agent"], bob.agent_id);
});

eachEngine("a quest that breaks a bound is refused", async ({ service: { context }, get }) => {
  const wrong = [
    { title: "" },
    { title: "two\nlines" },
    { title: "x".repeat(201) },
    { description: " " },
    { description: "x".repeat(4_001) },
    { bounty_days: 0 },
    { bounty_days: 2.5 },
    { deadline_at: START },
    { deadline_at: START + 0.5 },
  ];
  for (const fields of wrong)
    await assert.rejects(addQuest(context, { ...QUEST, ...fields }), /A (quest|desc|bounty|dead)/);
  assert.equal((await get("/quests")).body.count, 0);
});
