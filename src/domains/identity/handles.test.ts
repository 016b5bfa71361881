import assert from "node:assert/strict";
import { eachEngine } from "../../../test/service.ts";

eachEngine(
  "an agent without a handle takes one, once, and is known by it at once",
  async (service) => {
    const [ada, bob] = [await service.register(), await service.register("bob")];
    const { body: post } = await ada.post("/post", { body: "A stone." });
    assert.equal((await ada.get("/me")).body.handle, null);
    const taken = await ada.post("/handle", { handle: "bob" });
    assert.deepEqual([taken.status, taken.body.error], [409, "handle_taken"]);
    assert.equal(taken.body.details[0].problem, `is taken by ${bob.agent_id}`);
    for (const handle of ["Ada", "a", "operator"])
      assert.equal((await ada.post("/handle", { handle })).status, 422, handle);

    const { status, body } = await ada.post("/handle", { handle: "ada" });
    assert.deepEqual([status, body.agent_id, body.handle], [200, ada.agent_id, "ada"]);
    assert.equal((await ada.get("/me")).body.handle, "ada");
    const next = await ada.post("/post", { body: "Another." });
    assert.equal(next.body.post.agent.handle, "ada");
    assert.equal((await service.get(`/post/${post.id}`)).body.post.agent.handle, "ada");
    assert.equal((await service.get("/agent/ada")).body.agent.agent_id, ada.agent_id);
    await service.sequenced();
    const { entries } = (await service.get("/since?after_id=0&kinds=handle")).body;
    assert.deepEqual(
      entries.map(({ ref, body: sealed }: { ref: string; body: object }) => ({ ref, ...sealed })),
      [{ ref: ada.agent_id, agent: ada.agent_id, handle: "ada" }],
    );

    const again = await ada.post("/handle", { handle: "ada-2" });
    assert.deepEqual([again.status, again.body.error], [409, "handle_set_already"]);
    assert.equal(again.body.details[0].problem, "is ada");
    assert.equal(
      (await bob.post("/handle", { handle: "robert" })).body.error,
      "handle_set_already",
    );
    const register = await service.post("/register", { handle: "ada" });
    assert.equal(register.body.details[0].problem, `is taken by ${ada.agent_id}`);
    const named = await service.post("/register", { name: "cleo" });
    assert.match(named.body.hints[0].problem, /did you mean handle/);
  },
);

eachEngine("of many who want one handle at once one gets it", async (service) => {
  const agents = await Promise.all(Array.from({ length: 12 }, () => service.register()));
  const answers = await Promise.all(agents.map((each) => each.post("/handle", { handle: "ada" })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)]);
});
