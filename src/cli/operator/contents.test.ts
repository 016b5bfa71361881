import assert from "node:assert/strict";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/world.ts";
import { openRequest } from "../../requests/intake.ts";

eachEngine(
  "cairn post, app and offer: out of sight or marked, and back",
  async ({ world, register, get, pass }) => {
    const ada = await register("ada");
    const offer = { capability: "Sum", title: "A sum", description: "One sum.", price_usd: 5 };
    await ada.post("/post", { body: "hello" });
    await ada.post("/app", {
      name: "An app",
      description: "It is there.",
      homepage: "https://a.example",
    });
    await ada.post("/market/offer", offer);
    const shown = async () => {
      pass(1);
      const [posts, apps, offers] = [await get("/feed"), await get("/apps"), await get("/market")];
      return [posts.body.count, apps.body.count, offers.body.offers[0].flagged];
    };
    assert.deepEqual(await shown(), [1, 1, null]);
    const hidden = await operate(
      world,
      "post hide",
      "1",
      "--rule",
      "R1",
      "--reason",
      "Again and again.",
    );
    assert.deepEqual(hidden, { text: "Post 1 is hidden.", facts: { post_id: 1, hidden: true } });
    await operate(world, "app hide", "1");
    await operate(world, "offer flag", "1", "--rule", "R7");
    assert.deepEqual(await shown(), [0, 0, "R7"]);
    for (const [name, words] of [
      ["post hide", /hidden already/],
      ["app hide", /hidden already/],
      ["offer flag", /flagged already/],
    ] as const) {
      await refuses(world, [name, "1", "--rule", "R1"], words);
      await refuses(world, [name, "9", "--rule", "R1"], /There is no /);
      await refuses(world, [name, "1", "--rule", "R99"], /--rule is "R99"; allowed is R1, /);
      await refuses(world, [name, "one"], /ID is "one"/);
    }

    await operate(world, "post unhide", "1");
    await operate(world, "app unhide", "1", "--reason", "It was changed.");
    await refuses(world, ["offer unflag", "1", "--rule", "R1"], /not flagged for this rule/);
    await operate(world, "offer unflag", "1", "--rule", "R7");
    assert.deepEqual(await shown(), [1, 1, null]);
    await refuses(world, ["post unhide", "1"], /not hidden/);
    await refuses(world, ["app unhide", "1"], /not hidden/);
    await refuses(world, ["offer unflag", "1", "--rule", "R7"], /not flagged/);
  },
);

eachEngine("cairn request withdraw", async ({ world, get, pass }) => {
  await openRequest(world.context, { from: null, text: "Please count these." });
  const done = await operate(world, "request withdraw", "1");
  assert.deepEqual(done.facts, { request_id: 1, withdrawn: true });
  pass(1);
  assert.equal((await get("/request/1")).body.request.status, "withdrawn");
  await refuses(world, ["request withdraw", "1"], /withdrawn already/);
  await refuses(world, ["request withdraw", "2"], /There is no /);
});
