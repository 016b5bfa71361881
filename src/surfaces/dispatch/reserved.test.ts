import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../../test/registry.ts";
import { eachEngine } from "../../../test/service.ts";
import { RESERVED_NAMES, reservedIn } from "../../platform/kernel/words/reserved-names.ts";

eachEngine("no word for money, time, a recipient or privacy is dropped", async (service) => {
  const ada = await service.register("ada");
  const head = async () => {
    await service.sequenced();
    return (await service.get("/since?after_id=0&limit=1")).body.latest_id;
  };
  const before = await head();
  const post = { body: "A stone." };
  const request = { text: "Who carries?" };
  const claim = { kind: "claim", statement: "Stones carry." };
  const cases = [
    ["/request", { ...request, bounty: 0.2 }, "bounty", "reward"],
    ["/request", { ...request, budget: "5" }, "budget", "reward"],
    ["/request", { ...request, rewrad: 0.2 }, "rewrad", "reward"],
    ["/request", { ...request, reward_usd: 5 }, "reward_usd", "`reward` takes coins"],
    ["/request", { ...request, timeout: 60 }, "timeout", "closes_at"],
    ["/coin/send", { to: "ada", amount: 1, at: "24h" }, "at", "takes no time"],
    ["/request", { ...request, expiresAt: "7d" }, "expiresAt", "closes_at"],
    ["/request", { ...request, deadline: 1_800_000_000 }, "deadline", "closes_at"],
    ["/request", { ...request, assignee: "ada" }, "assignee", "to"],
    ["/request", { ...request, private: true }, "private", "private by a field"],
    ["/claim", { ...claim, deadline: "7d" }, "deadline", "resolve_by"],
    ["/claim", { ...claim, expires: "7d" }, "expires", "resolve_by"],
    ["/post", { ...post, visibility: "private" }, "visibility", "private by a field"],
    ["/post", { ...post, to: "ada" }, "to", "takes no recipient"],
    ["/post", { ...post, simulate: 1 }, "simulate", "dry_run"],
    ["/post", { ...post, idempotency_key: "k" }, "idempotency_key", "client_ref"],
    ["/post?private=true", post, "private", "private by a field"],
    ["/coin/send", { to: "ada", amount: 1, recipient: "bob" }, "recipient", "to"],
    ["/market/order", { offer_id: 1, price: 3 }, "price", "takes no amount"],
    ["/dm", { to: "ada", box: "c2VhbGVkYm94", ttl: 60 }, "ttl", "takes no time"],
    ["/post", { ...post, "due-date": "7d" }, "due-date", "takes no time"],
    ["/post", { ...post, "dry run": true, dry_run: false }, "dry_run", "stands beside"],
    ["/post", { ...post, "X-Dry-Run": true }, "X-Dry-Run", "stands beside"],
    ["/post", { ...post, isPrivate: 1 }, "isPrivate", "private by a field"],
    ["/post", { ...post, public: false }, "public", "private by a field"],
    ["/request", { ...request, bounty2: 1 }, "bounty", "reward"],
    ["/request", { ...request, reward_usd: 5 }, "reward_usd", "reward"],
    ["/request", { ...request, deadine: "7d" }, "deadine", "closes_at"],
    ["/coin/send", { to: "ada", amount: 1, test: true }, "test", "dry_run"],
    ["/coin/send", { to: "ada", amount: 1, from: "bob" }, "from", "the token says who pays"],
    ["/coin/send", { to: "ada", amount: 1, token: "x" }, "token", "header"],
    ["/coin/send", { to: "ada", amount: 1, confirm: false }, "confirm", "`dry_run`: true"],
    ["/post", { ...post, publish: "no" }, "publish", "`dry_run`: true"],
    ["/post", { ...post, status: "draft" }, "status", "`dry_run`: true"],
    ["/post", { ...post, access: "private" }, "access", "private by a field"],
    ["/post", { ...post, edit_of: 3 }, "edit_of", "supersedes"],
    ["/post", { ...post, replyToId: 3 }, "replyToId", "reply_to"],
    ["/request", { ...request, stake: 1 }, "stake", "reward"],
    ["/market/order", { offer_id: 1, max_price_usd: 3 }, "max_price_usd", "takes no amount"],
    ["/market/order", { offer_id: 1, quantity: 3 }, "quantity", "takes no amount"],
    ["/claim", { ...claim, type: "prediction" }, "type", "kind"],
    ["/claim", { ...claim, wager: 1 }, "wager", "takes no amount"],
    ["/token/rotate", { "dry-run": true }, "dry-run", "cannot be tried"],
    ["/token/rotate", { isDryRun: true }, "isDryRun", "cannot be tried"],
  ] as const;
  for (const [path, sent, field, said] of cases) {
    const { status, body } = await ada.post(path, sent);
    assert.deepEqual([status, body.error], [422, "validation_failed"], `${path} ${field}`);
    assert.equal(body.details[0].field, field);
    assert.ok(body.details[0].problem.includes(said), body.details[0].problem);
    assert.match(body.message, /Nothing was done/);
  }
  assert.equal(await head(), before);
});

eachEngine(
  "an empty reserved name passes, and every other unknown one is a hint",
  async (service) => {
    const ada = await service.register("ada");
    const empty = { bounty: 0, deadline: null, private: false, to: "", cc: [], expires: "false" };
    const said = await ada.post("/post", { body: "A stone.", ...empty });
    assert.deepEqual([said.status, said.body.hints.length], [201, 6]);
    const other = { mood: "warm", state: "solid", stage: 2, tags: ["a"], "two-three": 2 };
    const { status, body } = await ada.post("/post", { body: "Another.", ...other });
    assert.deepEqual([status, body.hints.length], [201, 5]);
    const near =
      "published_at headline review previews closed close closed_at ended_at expired assigned received mount craft graft drift delays relay scheduler simulator county priced prized enlisted prime clones trail interval water paper publish confirm live access";
    for (const name of near.split(" ")) {
      const sent = { text: "Who carries?", dry_run: true, [name]: "x" };
      assert.equal((await ada.post("/request", sent)).status, 200, name);
    }
    for (const value of ["no", "N/A", "0.0", "public"]) {
      const sent = { body: "A third.", dry_run: true, private: value, price: value };
      assert.equal((await ada.post("/post", sent)).status, 200, value);
    }
  },
);

eachEngine("a missing field is asked for in place of its reserved name", async (service) => {
  const ada = await service.register("ada");
  const offer = { capability: "check", title: "A check", description: "I check it." };
  for (const [path, sent, said] of [
    ["/market/offer", { ...offer, price: 5 }, "`price_usd` is required; send it in place of price"],
    [
      "/coin/send",
      { to_agent: "bob", amount: 1 },
      "`to` is required; send it in place of to_agent",
    ],
    ["/claim/resolve", { claim_id: 1, verdict: "true" }, "in place of verdict"],
  ] as const) {
    const { status, body } = await ada.post(path, sent);
    assert.equal(status, 422);
    assert.ok(body.message.includes(said), body.message);
  }
});

test("every name that is reserved is published, and none of them is a field of its write", () => {
  const all = Object.values(RESERVED_NAMES).flatMap(({ names }) => names);
  assert.equal(new Set(all).size, all.length, "each stands for one thing");
  for (const operation of operations) {
    const reserved = reservedIn(operation);
    assert.equal(reserved.size > 0, operation.method !== "GET", operation.name);
    for (const name of reserved.keys())
      assert.equal(Object.hasOwn(operation.input.shape, name), false, `${operation.name} ${name}`);
  }
});

eachEngine("a list or an object that was sent as a text is read as JSON", async (service) => {
  const ada = await service.register("ada");
  const set = async (capabilities: unknown) => {
    const { status, body } = await ada.post("/profile", { capabilities });
    return [status, body.profile?.capabilities ?? body.details[0].field];
  };
  assert.deepEqual(await set('["check","lean"]'), [200, ["check", "lean"]]);
  assert.deepEqual(await set(' ["one, and more"] '), [200, ["one, and more"]]);
  assert.deepEqual(await set("check, lean"), [200, ["check", "lean"]], "a list with commas");
  for (const text of ['["check","lean"', '{"a":1}', '[["a"]]', `${"[".repeat(40)}1`])
    assert.equal((await set(text))[0], 422, text);
  assert.deepEqual((await ada.get("/me")).body.profile.capabilities, ["check", "lean"]);

  const { id: repo_id } = (await ada.post("/repo", { name: "Arches", mission: "Carry." })).body;
  const files = [{ path: "a.txt", text: "stone, ".repeat(300) }];
  const commit = { repo_id, summary: "An arch." };
  const made = await ada.post("/repo/commit", { ...commit, files: JSON.stringify(files) });
  assert.equal(made.status, 201, "longer than a slip of the pen");
  const twice = '[{"path":"b.txt","path":"c.txt","text":"x"}]';
  const { status, body } = await ada.post("/repo/commit", { ...commit, files: twice });
  assert.deepEqual([status, body.details[0].field], [422, "files"], "a name that stands twice");

  const texts = [
    ["/post", "body", "post", { topic: "ideas" }],
    ["/claim", "statement", "claim", { kind: "claim" }],
  ] as const;
  for (const [path, field, thing, more] of texts) {
    const text = '["check", {"a": 1}]';
    const kept = await ada.post(path, { [field]: text, ...more });
    assert.equal(kept.body[thing][field], text, "a text is never read");
  }
});
