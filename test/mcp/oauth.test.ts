import assert from "node:assert/strict";
import { banAgent } from "../../src/domains/identity/bans/bans.ts";
import { eachEngine } from "../service.ts";
import { CALLBACK, dance, HOSTS, host, jsonOf, PUBLIC, toolAt } from "./oauth-hosts.ts";

for (const [name, open] of Object.entries(HOSTS)) {
  eachEngine(`a host signs in when it connects: ${name}`, async (service) => {
    const from = host(service);
    const door = new URL(`${PUBLIC}/api/v1/mcp`);
    const knocking = open(door, from);
    await assert.rejects(knocking.connect(), /[Uu]nauthorized/);
    await knocking.finish();
    const inside = open(door, from);
    await inside.connect();
    await inside.call("post_create", { body: "Signed in." });
    await inside.close();
    assert.equal((await service.get("/feed")).body.count, 1);
  });
}

eachEngine("a client may name itself by HTTP Basic, and by one name", async (service) => {
  const { register, authorize, exchange } = dance(service);
  const { client_id } = (await register(CALLBACK)).body;
  const { code = "" } = (await authorize({ client_id })).said;
  const basic = (id: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:`).toString("base64")}`,
  });
  const twice = await exchange({ code, client_id }, basic(`${client_id}x`));
  assert.deepEqual([twice.status, twice.body.error], [400, "invalid_request"]);
  const wrong = await exchange({ code }, basic(`${client_id}x`));
  assert.deepEqual([wrong.status, wrong.body.error], [400, "invalid_grant"]);
  const { status, body } = await exchange({ code }, basic(client_id));
  assert.deepEqual([status, body.token_type], [200, "Bearer"]);
});

eachEngine("a code is good once, for a minute, for its client alone", async (service) => {
  const { register, authorize, exchange } = dance(service);
  const { client_id } = (await register(CALLBACK, `${CALLBACK}/2`)).body;
  const other = (await register(CALLBACK)).body.client_id;
  const { said, headers } = await authorize({ client_id });
  assert.equal(said.iss, PUBLIC);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  const good = { client_id, code: said.code };
  const wrong: readonly [string, Readonly<Record<string, string>>][] = [
    ["invalid_grant", { code_verifier: "w".repeat(43) }],
    ["invalid_grant", { client_id: other }],
    ["invalid_grant", { redirect_uri: `${CALLBACK}/2` }],
    ["invalid_grant", { code: `${said.code}A` }],
    ["invalid_grant", { code: client_id }],
    ["unsupported_grant_type", { grant_type: "client_credentials" }],
    ["invalid_request", { code_verifier: "" }],
    ["invalid_target", { resource: "https://elsewhere.example/mcp" }],
  ];
  for (const [error, changes] of wrong) {
    const refused = await exchange({ ...good, ...changes });
    assert.deepEqual([refused.status, refused.body.error], [400, error], JSON.stringify(changes));
  }
  const all = await Promise.all(Array.from({ length: 6 }, () => exchange(good)));
  const [made, ...more] = all.filter(({ status }) => status === 200);
  assert.equal(more.length, 0, "in six calls at once it is good for one");
  assert.deepEqual(Object.keys(made?.body).sort(), ["access_token", "scope", "token_type"]);
  assert.equal(made?.headers.get("cache-control"), "no-store");
  const again = await exchange(good);
  assert.deepEqual([again.status, again.body.error], [400, "invalid_grant"]);
  const me = await toolAt(service, made?.body.access_token, "me_get");
  assert.match(me.result.structuredContent.agent_id, /^ag_/);
  const late = await authorize({ client_id });
  service.pass(60);
  const over = await exchange({ client_id, code: late.said.code });
  assert.equal(over.body.error, "invalid_grant");
});

const CALLBACKS = [
  "http://localhost:1/a?b=c",
  "http://[::1]/x",
  "com.example.app:/callback",
  "com.example.app://callback",
  "cursor://anysphere.cursor-retrieval/oauth/user-cairn/callback",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "vscode://saoudrizwan.claude-dev/mcp-auth/callback/0a1b2c",
  "http://127.0.0.1",
  "http://127.0.0.1:80/cb",
  "http://127.0.0.1:80?a=b",
  "http://127.0.0.1:33418/",
  "https://vscode.dev/redirect",
  "https://claude.ai/api/mcp/auth_callback",
  "https://chatgpt.com/connector/oauth/abc",
];

/** No callbacks: of strangers, of the service itself, and what an editor does at other addresses. */
const NO_CALLBACKS = [
  "http://example.com/cb",
  "https://example.com/cb",
  "https://claude.ai.example.com/api/mcp/auth_callback",
  "https://chatgpt.com/connector/oauth/../../logout",
  "https://chatgpt.com/connector/oauth/%2e%2e/x",
  "https://claude.ai@example.com/api/mcp/auth_callback",
  "http://user@127.0.0.1/cb",
  "http://127.0.0.1/cb#x",
  "http://127.0.0.1/c b",
  "http://127.0.0.1\r\nX: y",
  "http:127.0.0.1/../../../../app/bank",
  "http:/127.0.0.1/x",
  "http:///127.0.0.1/x",
  "http:\\\\127.0.0.1/x",
  "http://127.0.0.1\\@example.com/x",
  "http://127.0.0.1/a/../b",
  "http://127.0.0.1/a/%2e%2e/b",
  "http://127.1/cb",
  "http://2130706433/cb",
  "http://0x7f.1/cb",
  "http://127.0.0.1:080/cb",
  "HTTP://127.0.0.1/cb",
  "http://LOCALHOST/cb",
  "https:claude.ai/api/mcp/auth_callback",
  "https://CLAUDE.ai/api/mcp/auth_callback",
  "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=eyJjb21tYW5kIjoiY2FsYyJ9",
  "cursor://anysphere.cursor-mcp/oauth/callback/../../install",
  "cursor://anysphere.cursor-mcp/oauth/callback?code=mine",
  "cursor://anysphere.cursor-retrieval/oauth/%2e%2e/x",
  "vscode:mcp/install?%7B%22name%22%3A%22x%22%2C%22command%22%3A%22calc%22%7D",
  "vscode:/saoudrizwan.claude-dev/mcp-auth/callback/0a",
  "vscode://vscode.git/clone?url=https://evil.example/x.git",
  "vscode-insiders://file/etc/passwd",
  "vscodium://vscode.git/clone",
  "windsurf://windsurf-mcp-registry?serverName=x",
  "zed://file/etc/passwd",
  "ms-settings.x:a",
  "x-apple.systempreferences:com.apple.preference.security",
  "javascript:alert(1)",
  "data:text/html,x",
  "/callback",
  `http://127.0.0.1/${"x".repeat(512)}`,
];

eachEngine("nothing is sent to an address that is no callback of the client", async (service) => {
  const { register, authorize } = dance(service);
  for (const uri of CALLBACKS) assert.equal((await register(uri)).status, 201, uri);
  for (const uri of NO_CALLBACKS) {
    const refused = await register(CALLBACK, uri);
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_redirect_uri"], uri);
  }
  assert.equal((await register()).body.error, "invalid_client_metadata");
  const { client_id } = (await register(CALLBACK)).body;
  const elsewhere: readonly Readonly<Record<string, string>>[] = [
    { redirect_uri: "http://127.0.0.1:8090/other" },
    { redirect_uri: "https://example.com/" },
    { client_id: "c" },
    { client_id: `${client_id}A` },
  ];
  for (const changes of elsewhere) {
    const { status, to } = await authorize({ client_id, ...changes });
    assert.deepEqual([status, to], [400, null], JSON.stringify(changes));
  }
  const port = await authorize({ client_id, redirect_uri: "http://127.0.0.1:9999/callback" });
  assert.equal(port.status, 302, "of this machine itself any port");
  const told: readonly [string, Readonly<Record<string, string>>][] = [
    ["unsupported_response_type", { response_type: "token" }],
    ["invalid_request", { code_challenge_method: "plain" }],
    ["invalid_request", { code_challenge: "" }],
    ["invalid_target", { resource: "https://elsewhere.example" }],
  ];
  for (const [error, changes] of told) {
    const { status, said } = await authorize({ client_id, state: "s", ...changes });
    assert.deepEqual([status, said.error, said.state, said.code], [302, error, "s", undefined]);
  }
});

eachEngine("a token that has ended makes no new agent", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await banAgent(service.service.context, { agent: ada.agent_id, reason: "Spam." });
  assert.equal((await bob.post("/token/rotate", {})).status, 200);
  const register = { name: "register", arguments: { another: true } };
  const me = { name: "me_get", arguments: {} };
  for (const [{ token }, said] of [
    [ada, /banned/],
    [bob, /replaced by/],
  ] as const)
    for (const [door, params] of [
      ["/api/v1/mcp", me],
      ["/api/v1/mcp/open", me],
      ["/api/v1/mcp/open", register],
    ] as const) {
      const answer = await fetch(service.url + door, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: "7", method: "tools/call", params }),
      });
      const { id, result } = await jsonOf(answer);
      assert.deepEqual([answer.status, id, result.isError], [200, "7", true]);
      assert.match(result.content[0].text, said);
    }
  const never = await fetch(`${service.url}/api/v1/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer sk_${"0".repeat(48)}` },
  });
  assert.equal(never.status, 401);
  assert.match(
    String(never.headers.get("www-authenticate")),
    /error="invalid_token", resource_metadata="http.*\/\.well-known\/oauth-protected-resource\/api\/v1\/mcp"$/,
  );
});
