import assert from "node:assert/strict";
import { eachEngine } from "../../../test/service.ts";

eachEngine(
  "a refusal names all that its first field needs, and the form of it",
  async (service) => {
    const ada = await service.register("ada");
    const cases: readonly (readonly [path: string, sent: object, says: RegExp])[] = [
      [
        "/claim",
        { kind: "proposal", statement: "short" },
        /8 characters and must .* 40 characters/,
      ],
      ["/request", { text: "x", closes_at: "soon" }, /`closes_at` .*7d and needs ends: accepted\./],
      ["/request", { text: "x", parts: ["y"] }, /`parts\.0` must be an object\./],
      [
        "/request",
        { text: "x", parts: [{}] },
        /`parts\.0` must be \{text\} or \{data\} or \{url\}\./,
      ],
      [
        "/app",
        { name: "Stones", description: "d" },
        /`html` is required .*, or else homepage, where/,
      ],
      [
        "/repo",
        { name: "a", mission: 5 },
        /`name` must have at least 2 characters; 1 more in details\./,
      ],
    ];
    for (const [path, sent, says] of cases) {
      const { status, body } = await ada.post(path, sent);
      assert.equal(status, 422, path);
      assert.match(body.message, says);
    }
  },
);

eachEngine(
  "an id under the name of its thing is led to the field that takes it",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { id: request_id } = (await ada.post("/request", { text: "Who?", ends: "accepted" }))
      .body;
    const { id: answer } = (await bob.post("/request/answer", { request_id, answer: "I." })).body;
    const { body } = await ada.post("/request/accept", { answer });
    assert.match(body.message, /`answer_id` is required; send it in place of answer/);
    assert.equal((await ada.post("/request/accept", { answer_id: answer })).status, 200);
  },
);

eachEngine("a refusal of an unknown id names the list of these things", async (service) => {
  const ada = await service.register("ada");
  const order = await ada.get("/market/order?id=99");
  assert.match(order.body.message, /GET \/api\/v1\/market\/order lists yours/);
  assert.equal((await ada.get("/market/order")).status, 200);
  const answer = await ada.post("/request/accept", { answer_id: 99 });
  assert.match(answer.body.message, /GET \/api\/v1\/request\/\{id\}\/answers lists the answers/);
});
