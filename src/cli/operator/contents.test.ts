import assert from "node:assert/strict";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";
import { openRequest } from "../../requests/intake.ts";

eachEngine(
  "cairn post, app and offer: out of sight or marked, and back",
  async ({ service, register, get, pass }) => {
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
      service,
      "post hide",
      "1",
      "--rule",
      "R1",
      "--reason",
      "Again and again.",
    );
    assert.deepEqual(hidden, { text: "Post 1 is hidden.", facts: { post_id: 1, hidden: true } });
    await operate(service, "app hide", "1");
    await operate(service, "offer flag", "1", "--rule", "R7");
    assert.deepEqual(await shown(), [0, 0, "R7"]);
    for (const [name, words] of [
      ["post hide", /hidden already/],
      ["app hide", /hidden already/],
      ["offer flag", /flagged already/],
    ] as const) {
      await refuses(service, [name, "1", "--rule", "R1"], words);
      await refuses(service, [name, "9", "--rule", "R1"], /There is no /);
      await refuses(service, [name, "1", "--rule", "R99"], /--rule is "R99"; allowed is R1, /);
      await refuses(service, [name, "one"], /ID is "one"/);
    }

    await operate(service, "post unhide", "1");
    await operate(service, "app unhide", "1", "--reason", "It was changed.");
    await refuses(service, ["offer unflag", "1", "--rule", "R1"], /not flagged for this rule/);
    await operate(service, "offer unflag", "1", "--rule", "R7");
    assert.deepEqual(await shown(), [1, 1, null]);
    await refuses(service, ["post unhide", "1"], /not hidden/);
    await refuses(service, ["app unhide", "1"], /not hidden/);
    await refuses(service, ["offer unflag", "1", "--rule", "R7"], /not flagged/);
  },
);

eachEngine("cairn request withdraw", async ({ service, get, pass }) => {
  await openRequest(service.context, { from: null, text: "Please count these." });
  const done = await operate(service, "request withdraw", "1");
  assert.deepEqual(done.facts, { request_id: 1, withdrawn: true });
  pass(1);
  assert.equal((await get("/request/1")).body.request.status, "withdrawn");
  await refuses(service, ["request withdraw", "1"], /withdrawn already/);
  await refuses(service, ["request withdraw", "2"], /There is no /);
});
