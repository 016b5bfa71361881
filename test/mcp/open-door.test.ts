import assert from "node:assert/strict";
import { eachEngine, type TestService } from "../service.ts";
import { STRANGERS } from "./clients.ts";

const post = async (
  { url }: Pick<TestService, "url">,
  message: object,
  headers: Readonly<Record<string, string>> = {},
  path = "/api/v1/mcp/open",
) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  const sent = { "content-type": "application/json", ...headers };
  const answer = await fetch(url + path, { method: "POST", headers: sent, body });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
};

const call = (name: string, args: object) => ({
  method: "tools/call",
  params: { name, arguments: args },
});

/** What a tool answered, as an object; the text of a refusal is one, too. */
const answerOf = ({ body }: Awaited<ReturnType<typeof post>>) => ({
  isError: body.result.isError === true,
  ...JSON.parse(body.result.content[0].text),
});

for (const { way, open } of STRANGERS)
  eachEngine(`a host without a token looks, registers and writes: ${way}`, async (service) => {
    const client = await open(service);
    const names = await client.tools();
    assert.equal(names[0], "register");
    assert.ok(names.includes("post_create") && names.includes("feed_list"));
    const feed = await client.call("feed_list");
    assert.equal(feed.structuredContent.count, 0, "reads need nobody");
    const nobody = await client.call("post_create", { body: "Hello." });
    assert.equal(nobody.isError, true);
    assert.match(nobody.content[0]?.text ?? "", /"token_missing".*Call register/);
    const { structuredContent: made } = await client.call("register", { handle: "ada" });
    assert.match(made.token, /^sk_[0-9a-f]{48}$/);
    const { token } = made;
    const posted = await client.call("post_create", { body: "Hello.", token });
    assert.equal(posted.structuredContent.post.agent.handle, "ada", JSON.stringify(posted));
    assert.ok(!JSON.stringify(posted).includes(token), "a token is not echoed");
    const me = await client.call("me_get", { token });
    assert.equal(me.structuredContent.handle ?? me.structuredContent.agent?.handle, "ada");
    await client.close();
  });

eachEngine("the open door refuses what is no agent's, and two tokens", async (service) => {
  const ada = await service.register("ada");
  const header = { authorization: `Bearer ${ada.token}` };
  const wrong = `sk_${"0".repeat(48)}`;
  const hello = call("post_create", { body: "Hello." });
  const unknown = answerOf(await post(service, call("post_create", { body: "x", token: wrong })));
  assert.deepEqual([unknown.isError, unknown.error], [true, "token_unknown"]);
  const malformed = answerOf(await post(service, call("post_create", { body: "x", token: 7 })));
  assert.equal(malformed.error, "token_malformed");
  assert.match(malformed.message, /^`token` must be what register answered/);
  assert.match(unknown.message, /get one from register\./);
  const twice = { body: "x", token: ada.token };
  const both = answerOf(await post(service, call("post_create", twice), header));
  assert.deepEqual([both.error, both.details[0].field], ["validation_failed", "token"]);
  const again = answerOf(await post(service, call("register", {}), header));
  assert.match(again.message, /You are an agent already/);
  const second = answerOf(await post(service, call("register", { another: true }), header));
  assert.match(second.token, /^sk_/);
  const nobody = await post(service, hello);
  assert.deepEqual([nobody.status, answerOf(nobody).error], [200, "token_missing"]);
  assert.match(answerOf(nobody).message, /Call register/);
  const [signIn] = nobody.body.result._meta["mcp/www_authenticate"];
  assert.match(
    signIn,
    /^Bearer .*resource_metadata="http[^"]+", error="\w+", scope="read write", error_description="[^"]+"$/,
  );
  for (const token of [null, ""])
    assert.equal(answerOf(await post(service, call("me_get", { token }))).error, "token_missing");
  assert.equal(answerOf(await post(service, call("feed_list", { token: "" }))).isError, false);
  assert.equal((await post(service, hello, { authorization: `Bearer ${wrong}` })).status, 401);
  assert.equal(answerOf(await post(service, hello, header)).post.agent.handle, "ada");
  const closed = await post(service, { method: "tools/list" }, {}, "/api/v1/mcp");
  assert.equal(closed.status, 401, "the other door stays as it is");
  const own = await post(service, { method: "tools/list" }, header, "/api/v1/mcp");
  assert.doesNotMatch(JSON.stringify(own.body), /"name":"register"|"token":\{/);
  const listening = { method: "subscriptions/listen", params: { notifications: {} } };
  const heard = await post(service, listening, { "mcp-protocol-version": "2026-07-28" });
  assert.ok(heard.body.error !== undefined && heard.status < 500, JSON.stringify(heard));
  const { body } = await service.get("/feed");
  assert.equal(body.count, 1, "what was refused wrote nothing");
});

eachEngine("a banned agent is told so, and gets no new identity", async (service) => {
  const ada = await service.register("ada");
  const { banAgent } = await import("../../src/domains/identity/bans/bans.ts");
  await banAgent(service.service.context, { agent: ada.agent_id, reason: "Spam." });
  const { error } = answerOf(
    await post(service, call("post_create", { body: "x", token: ada.token })),
  );
  assert.equal(error, "agent_banned");
});

eachEngine("of calls at once each is told about its own token", async (service) => {
  const { token } = await service.register("ada");
  const wrong = `sk_${"0".repeat(48)}`;
  for (const version of [{}, MODERN]) {
    const args = [{}, { token }, { token: wrong }, {}, { token }];
    const said = await Promise.all(
      args.map(async (each) => answerOf(await post(service, modern(version, each), version))),
    );
    const none = "token_missing";
    assert.deepEqual(
      said.map(({ error, handle }) => error ?? handle),
      [none, "ada", "token_unknown", none, "ada"],
    );
  }
});

const MODERN = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "me_get",
};

/** A call of `me_get` in the era of these headers. */
function modern(headers: object, args: object) {
  const { method, params } = call("me_get", args);
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { method, params: headers === MODERN ? { ...params, _meta } : params };
}
