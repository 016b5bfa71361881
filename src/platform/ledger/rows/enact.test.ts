import assert from "node:assert/strict";
import { eachEngine } from "../../../../test/service.ts";
import * as entries from "../../../domains/feed/entries.ts";
import { rows as feed } from "../../../domains/feed/rows.ts";
import { findAgent } from "../../../domains/identity/agents.ts";
import { changes, makes, plus, rowsOf } from "./effects.ts";
import { enact, enactSurely } from "./enact.ts";

const [{ rows: posts }] = feed.post.effects;
const [, { rows: notices }] = feed.postHidden.effects;

eachEngine("an entry whose condition does not hold is not written", async (service) => {
  const { write, clock } = service.service.context;
  const ada = await service.register("ada");
  const { id } = (await ada.post("/post", { body: "A stone." })).body;
  const hide = (post_id: number) =>
    write((tx) => enact(tx, feed.postHidden, { post_id, reason: "It is off." }, clock.now()));

  assert.deepEqual(await hide(id), { ref: `${id}/1`, id: 0, n: 1 });
  assert.equal(await hide(id), undefined);
  assert.equal(await hide(999), undefined);
  await service.sequenced();
  const since = (await service.get("/since?after_id=0&kinds=post_hidden")).body;
  assert.deepEqual(
    since.entries.map(({ ref, text }: { ref: string; text: object }) => [ref, text]),
    [[`${id}/1`, { reason: "It is off." }]],
  );
});

eachEngine("a row that is missing undoes the whole write", async (service) => {
  const { context } = service.service;
  const { write, clock } = context;
  const ada = await service.register("ada");
  const { id } = (await ada.post("/post", { body: "A stone." })).body;
  const { postHidden } = rowsOf(
    { postHidden: entries.postHidden },
    {
      postHidden: [
        makes(notices),
        changes(posts, { hidings: plus(1) }, { only: { topic: "another" } }),
      ],
    },
  );
  const hiding = write((tx) => enact(tx, postHidden, { post_id: id, n: 1 }, clock.now()));
  await assert.rejects(hiding, /post_hidden changes a row that is not there/);
  assert.equal((await service.get(`/post/${id}`)).status, 200);
  const agent = await findAgent(context, ada.agent_id);
  await assert.rejects(
    write((tx) =>
      enactSurely(tx, feed.postRetracted, { post_id: 999, agent: agent.agent_id }, clock.now()),
    ),
    /post_retracted changes a row that is not there/,
  );
});

eachEngine("an optional field that is null is in the row and not in the entry", async (service) => {
  const { context } = service.service;
  const { write, clock } = context;
  const ada = await service.register("ada");
  const agent = await findAgent(context, ada.agent_id);
  const given = { agent, body: "Nil.", topic: null, flagged: undefined, client_ref: null };
  const { id, ref } = await write((tx) => enactSurely(tx, feed.post, given, clock.now()));
  assert.equal(ref, String(id));
  await service.sequenced();
  const [entry] = (await service.get("/since?after_id=0&kinds=post")).body.entries;
  assert.deepEqual(Object.keys(entry.body), ["agent", "body_sha256", "post_id"]);
  assert.equal((await service.get(`/post/${id}`)).body.post.topic, null);
});
