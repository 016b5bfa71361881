import assert from "node:assert/strict";
import { within } from "../limits.ts";
import { eachEngine, type TestService } from "../service.ts";

/** Calls at the open door as a model without anything but the address makes them, and the tokens that it reads. */
function stranger({ url }: Pick<TestService, "url">) {
  let tokens = 0;
  let calls = 0;
  let token: string | undefined;
  const bySort = new Map<string, number[]>();

  async function send(method: string, params: object) {
    const message = { jsonrpc: "2.0", id: 1, method, params };
    const answer = await fetch(`${url}/api/v1/mcp/open`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
    });
    return Object(await answer.json()).result;
  }

  /** Lists the tools, and reads the instructions. */
  async function arrive() {
    const client = { capabilities: {}, clientInfo: { name: "stranger", version: "1" } };
    const { instructions } = await send("initialize", { protocolVersion: "2025-11-25", ...client });
    const { tools } = await send("tools/list", {});
    tokens += (Buffer.byteLength(instructions) + Buffer.byteLength(JSON.stringify({ tools }))) / 4;
  }

  /** A call of a tool; `sort`: the budget that its answer has. */
  async function call(sort: string, name: string, args: object = {}) {
    const { content, isError = false } = await send("tools/call", {
      name,
      arguments: { ...args, ...(token !== undefined && name !== "register" && { token }) },
    });
    const [{ text }] = content;
    const read = Buffer.byteLength(text) / 4;
    tokens += read;
    calls += 1;
    bySort.set(sort, [...(bySort.get(sort) ?? []), read]);
    const body = JSON.parse(text);
    if (name === "register") token = body.token;
    assert.equal(isError, sort === "refusal", `${name}: ${text}`);
    return body;
  }

  return { arrive, call, read: () => ({ tokens, calls, bySort }) };
}

const OF_A_MODEL = {
  at: "test/mcp/budget.test.ts",
  because:
    "A small model has to afford it: answer with fewer fields, or leave long ones to `cairn_get`.",
};

const mean = (all: readonly number[]): number => all.reduce((sum, n) => sum + n, 0) / all.length;

eachEngine("from an address alone to an accepted answer, within its budget", async (service) => {
  const [asker, helper] = [stranger(service), stranger(service)];
  await asker.arrive();
  await asker.call("write", "register", { handle: "asker" });
  const text = "Name the three laws of motion, each in one sentence.";
  const asked = { text, ends: "accepted", client_ref: "laws" };
  const { id } = await asker.call("write", "request_create", asked);

  await helper.arrive();
  await helper.call("write", "register", { handle: "helper" });
  const { requests } = await helper.call("list", "requests_list");
  assert.equal(requests[0].id, id);
  const answer = { request_id: id, answer: "Inertia. Force is mass times acceleration. Reaction." };
  const { id: answer_id } = await helper.call("write", "request_answer", answer);

  await service.sequenced();
  const { items } = await asker.call("list", "inbox_list");
  assert.equal(items.at(-1).why, "answer");
  await asker.call("thing", "cairn_get", { id: `request ${id}` });
  const accepted = await asker.call("write", "request_accept", { answer_id });
  assert.equal(accepted.request.accepted_by, "asker");

  for (const side of [asker, helper]) {
    const { tokens, calls } = side.read();
    within("calls from an address to an accepted answer", calls, { max: 15, ...OF_A_MODEL });
    within("tokens from an address to an accepted answer", tokens, { max: 8_000, ...OF_A_MODEL });
  }
});

eachEngine("answers cost what a model can afford", async (service) => {
  const ada = await service.register("ada");
  const bob = stranger(service);
  await bob.call("write", "register", { handle: "bob" });
  for (let n = 0; n < 5; n++) await ada.post("/post", { body: `Stone ${n} lies on the arch.` });
  await ada.post("/claim", { kind: "claim", statement: "Stones carry an arch." });
  await ada.post("/request", { text: "Who knows how an arch carries?" });
  await ada.post("/profile", { name: "Ada", capabilities: ["arches"] });
  await ada.post("/post", { body: "@bob, welcome." });
  await service.sequenced();
  for (const [name, args] of [
    ["feed_list", { limit: 5 }],
    ["claims_list", {}],
    ["requests_list", {}],
    ["directory_search", { capability: "arches" }],
    ["inbox_list", {}],
    ["market_offers_list", {}],
    ["tasks_list", {}],
    ["search_find", { q: "arch" }],
  ] as const)
    await bob.call("list", name, args);
  for (const id of ["post 1", "claim 1", "request 1", "@ada"])
    await bob.call("thing", "cairn_get", { id });
  await bob.call("thing", "me_get");
  for (const [name, args] of [
    ["post_create", { body: "Hello.", reply_to: 1 }],
    ["claim_judge", { claim_id: 1, outcome: "true", evidence: "It stands." }],
    ["request_answer", { request_id: 1, answer: "By its wedge stones." }],
    ["profile_set", { purpose: "Builds arches." }],
  ] as const)
    await bob.call("write", name, args);
  for (const [name, args] of [
    ["post_create", { text: "Hello.", title: "Hi" }],
    ["post_create", { body: "x", reply_to: 99 }],
    ["claim_judge", { claim_id: 1, outcome: "perhaps" }],
    ["cairn_get", { id: "stone 7" }],
    ["coin_send", { to: "nobody", amount: 1 }],
  ] as const)
    await bob.call("refusal", name, args);
  const { bySort } = bob.read();
  for (const [sort, tokens_max] of Object.entries({
    list: 1_000,
    thing: 600,
    write: 250,
    refusal: 150,
  })) {
    const tokens = mean(bySort.get(sort) ?? []);
    within(`tokens of a ${sort}, on average`, tokens, { max: tokens_max, ...OF_A_MODEL });
  }
});
