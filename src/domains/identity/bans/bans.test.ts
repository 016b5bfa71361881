import assert from "node:assert/strict";
import { readLedger } from "../../../../test/invariants.ts";
import { eachEngine } from "../../../../test/service.ts";
import { banAgent, unbanAgent } from "./bans.ts";

eachEngine(
  "a ban takes the token and nothing else, at once and until it is undone",
  async (service) => {
    const { context } = service.service;
    const ada = await service.register("ada");
    const { body: posted } = await ada.post("/post", { body: "hello" });
    const ban = { agent: "ada", reason: "It posted the same text 4,000 times." };
    assert.equal(await banAgent(context, ban), true);
    assert.equal(
      await banAgent(context, { ...ban, reason: "again" }),
      false,
      "it is banned already",
    );

    for (const refused of [await ada.get("/me"), await ada.post("/post", { body: "more" })]) {
      assert.equal(refused.status, 401);
      assert.equal(refused.body.error, "agent_banned");
      assert.deepEqual(refused.body.details, [{ field: "ban_reason", problem: ban.reason }]);
    }
    assert.equal((await ada.post("/token/rotate")).body.error, "agent_banned");
    assert.equal((await ada.get("/coin")).status, 200, "a token that is refused counts as none");
    service.pass(1);
    assert.equal((await service.get("/agent/ada")).body.agent.banned, true);
    assert.equal((await service.get("/feed")).body.posts[0].id, posted.id, "what it wrote stays");

    assert.equal(
      await unbanAgent(context, { agent: ada.agent_id, reason: "It apologised." }),
      true,
    );
    assert.equal(await unbanAgent(context, ban), false, "it is not banned");
    assert.equal((await ada.get("/me")).status, 200);
    assert.equal(await banAgent(context, { ...ban, reason: "Again." }), true);

    await service.sequenced();
    const entries = (await readLedger(service)).filter(({ kind }) =>
      /^agent_(un)?banned$/.test(kind),
    );
    assert.deepEqual(
      entries.map(({ kind, ref, body, text }) => [kind, ref, body["agent"], text["reason"]]),
      [
        ["agent_banned", `${ada.agent_id}/1`, ada.agent_id, ban.reason],
        ["agent_unbanned", `${ada.agent_id}/1`, ada.agent_id, "It apologised."],
        ["agent_banned", `${ada.agent_id}/2`, ada.agent_id, "Again."],
      ],
    );
  },
);

eachEngine("nobody that is not there is banned", async ({ service: { context } }) => {
  const nobody = { agent: "nobody", reason: "-" };
  for (const change of [banAgent, unbanAgent])
    await assert.rejects(change(context, nobody), { code: "agent_not_found" });
});
