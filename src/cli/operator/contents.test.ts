import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";
import { openRequest } from "../../domains/requests/intake.ts";
import { indexNew } from "../../domains/search/indexing.ts";

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
    assert.deepEqual(hidden, {
      text: "Post 1 is hidden.",
      facts: { post_id: 1, hidden: true, reports: 0, stay: {} },
    });
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

eachEngine(
  "cairn post hide of many: an agent's, a list's, and those with words",
  async (service) => {
    const { service: own, register, get, pass } = service;
    const [ada, bob] = [await register("ada"), await register("bob")];
    for (const n of [1, 2, 3]) await ada.post("/post", { body: `Cheap stones number ${n}.` });
    await bob.post("/post", { body: "Stones are not cheap." });
    await bob.post("/post", { body: "A mountain." });
    await bob.post("/report", { post_id: 2, rule: "R1" });
    const shown = async () => {
      pass(1);
      return (await get("/feed")).body.posts.map(({ id }: { id: number }) => id);
    };
    const by = (...words: string[]) => operate(own, "post hide", ...words, "--rule", "R1");
    const looked = await by("--agent", "ada");
    assert.match(
      looked.text,
      /^3 posts are meant, with open reports \(R1 × 1\)\. Nothing was changed; --yes 3 --through 1 hides them\.\n {2}3 {2}ada {2}"Cheap/,
    );
    const unreported = await by("--agent", "bob");
    assert.match(unreported.text, /^2 posts are meant\. .* --yes 2 --through 0 hides them\./);
    assert.deepEqual(await shown(), [5, 4, 3, 2, 1]);
    await assert.rejects(by("--agent", "ada", "--yes", "2"), /3 posts are meant and not 2/);
    const ended = { reports: 1, stay: {} };
    const done = await by("--agent", "ada", "--yes", "3", "--through", "1");
    assert.deepEqual(done.facts, { count: 3, hidden: 3, ...ended });
    assert.deepEqual(await shown(), [5, 4]);
    assert.match((await operate(own, "report list")).text, /There is none/);
    await assert.rejects(by("--agent", "ada", "--yes", "3"), /no such post/);
    await assert.rejects(by("4", "--agent", "ada"), /Name one of ID, --agent/);
    await assert.rejects(by("4", "--yes", "1"), /--yes goes with/);
    await assert.rejects(by(), /Name one of ID/);

    for (const id of ["1", "2", "3"]) await operate(own, "post unhide", id);
    await service.sequenced();
    await indexNew({ ...own.context, yieldToRequests: async () => {} });
    assert.deepEqual((await by("--matching", "cheap stones", "--yes", "4")).facts["hidden"], 4);
    assert.deepEqual(await shown(), [5]);
    const file = join(mkdtempSync(join(tmpdir(), "cairn-hide-")), "ids");
    writeFileSync(file, "5\n4\n 77\n");
    assert.deepEqual((await by("--file", file, "--yes", "1")).facts, {
      count: 1,
      hidden: 1,
      reports: 0,
      stay: {},
    });
    writeFileSync(file, "5 x");
    await assert.rejects(by("--file", file), /"x" is no id of a post/);
    assert.deepEqual(await shown(), []);
  },
);

eachEngine(
  "the journal has what was done, and nothing of what was only looked at",
  async (service) => {
    const { service: own, register } = service;
    const ada = await register("ada");
    await ada.post("/post", { body: "hello" });
    await operate(own, "post list");
    await operate(own, "post hide", "--agent", "ada");
    await operate(own, "post hide", "1", "--rule", "R1", "--reason", "Spam.");
    await operate(own, "agent ban", "ada", "--reason", "Spam.");
    await refuses(own, ["post hide", "1"], /hidden already/);
    const { facts } = await operate(own, "journal");
    const rows = z.array(z.looseObject({ act: z.string(), via: z.string() })).parse(facts["rows"]);
    const told = rows.map(({ act, via, given, result }) => [act, via, given, result]);
    assert.deepEqual(told, [
      ["agent ban", "command", '{"agent":"ada","reason":"Spam."}', "ada is banned."],
      ["post hide", "command", '{"id":1,"rule":"R1","reason":"Spam."}', "Post 1 is hidden."],
    ]);
    const bans = (await operate(own, "journal", "--act", "agent ban")).facts["rows"];
    assert.equal(z.array(z.unknown()).parse(bans).length, 1);
  },
);
