import assert from "node:assert/strict";
import { banAgent } from "../../src/domains/identity/bans/bans.ts";
import {
  ACCESS_LIVES_S,
  ACCESS_TOKENS_MAX,
  newGrant,
} from "../../src/domains/identity/grants/grants.ts";
import { sharedKey } from "../../src/domains/identity/shared-key.ts";
import { tokenDigest } from "../../src/domains/identity/tokens.ts";
import { perProcessJobs } from "../../src/main/jobs/per-process.ts";
import { prepared } from "../../src/platform/db/prepared.ts";
import { refusalOf } from "../../src/surfaces/oauth/faults.ts";
import { operate } from "../operator.ts";
import { eachEngine, type TestAgent, type TestService } from "../service.ts";
import { dance, HOSTS, host, jsonOf, PUBLIC, REFRESHING, toolAt } from "./oauth-hosts.ts";

const DOOR = new URL(`${PUBLIC}/api/v1/mcp`);

/** The agent that a token is of, as a tool says it; null where it is HTTP 401. */
async function agentOf(service: TestService, token: string): Promise<string | null> {
  const { status, headers, result } = await toolAt(service, token, "me_get");
  if (status !== 401) return result.structuredContent.agent_id;
  assert.match(
    String(headers.get("www-authenticate")),
    /error="invalid_token", resource_metadata=/,
  );
  return null;
}

for (const [name, open] of Object.entries(HOSTS))
  eachEngine(`a host refreshes by itself, and is the same agent: ${name}`, async (service) => {
    const from = host(service, REFRESHING);
    const first = open(DOOR, from);
    await assert.rejects(first.connect(), /[Uu]nauthorized/);
    await first.finish();
    const inside = open(DOOR, from);
    await inside.connect();
    const who = async () => (await inside.call("me_get")).structuredContent.agent_id;
    const agent_id = await who();
    const { access_token, refresh_token, scope } = from.kept["tokens"];
    assert.deepEqual([access_token.slice(0, 3), scope], ["cg_", "read write"]);
    service.pass(ACCESS_LIVES_S);
    assert.equal(await who(), agent_id);
    assert.notEqual(from.kept["tokens"].access_token, access_token);
    assert.notEqual(from.kept["tokens"].refresh_token, refresh_token);
    await inside.close();

    // Two processes of one client, which share what they keep, come back at once.
    service.pass(ACCESS_LIVES_S);
    const again = [open(DOOR, from), open(DOOR, from)];
    await Promise.all(again.map((each) => each.connect()));
    for (const each of again) {
      assert.equal((await each.call("me_get")).structuredContent.agent_id, agent_id);
      await each.close();
    }
    assert.equal((await service.get("/feed")).body.count, 0);

    // A revoked grant is a sign-in again, and another agent.
    const { refresh_token: token } = from.kept["tokens"];
    const { client_id } = from.kept["client"];
    assert.equal((await dance(service).revoke({ token, client_id })).status, 200);
    await assert.rejects(open(DOOR, from).connect(), /[Uu]nauthorized/);
    const last = open(DOOR, from);
    await last.finish();
    await open(DOOR, from).connect();
    assert.notEqual(await agentOf(service, from.kept["tokens"].access_token), agent_id);
  });

eachEngine("a code that is used again ends the access tokens that it gave", async (service) => {
  const { registerAs, authorize, exchange, refresh } = dance(service);
  const coded = async (metadata: object) => {
    const { client_id } = (await registerAs(metadata)).body;
    const { code = "" } = (await authorize({ client_id })).said;
    return { client_id, code };
  };
  for (const late_s of [0, 60, 600]) {
    const good = await coded(REFRESHING);
    const { access_token, refresh_token } = (await exchange(good)).body;
    const agent_id = await agentOf(service, access_token);
    const other = (await exchange(await coded(REFRESHING))).body.access_token;
    const wrong = await exchange({ ...good, code_verifier: "w".repeat(43) });
    assert.equal(wrong.body.error, "invalid_grant");
    assert.equal(await agentOf(service, access_token), agent_id, "a stranger's code ends nothing");
    service.pass(late_s);
    const again = await exchange(good);
    assert.deepEqual([again.status, again.body.error], [400, "invalid_grant"]);
    assert.equal(await agentOf(service, access_token), null);
    assert.notEqual(await agentOf(service, other), null);
    const next = (await refresh({ refresh_token, client_id: good.client_id })).body;
    assert.equal(await agentOf(service, next.access_token), agent_id, "the identity is the same");
  }
  const only = await coded({});
  const { access_token } = (await exchange(only)).body;
  assert.equal((await exchange(only)).status, 400);
  assert.notEqual(await agentOf(service, access_token), null, "it is the identity");
});

/** A request to an endpoint of OAuth that a requirement of its RFC decides. */
interface Point {
  readonly rfc: string;
  readonly at: "token" | "revoke";
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly expected: number | string;
}

type SignedIn = Readonly<Record<"client_id" | "refresh_token" | "access_token", string>>;

interface Clients {
  readonly mine: SignedIn;
  /** A sign-in for reads. */
  readonly reader: SignedIn;
  /** The id of a client without one. */
  readonly other: string;
}

/** Each requirement with a request that breaks it, but for what is no error. */
function pointsOf({ mine, reader, other }: Clients): readonly Point[] {
  const { client_id, refresh_token, access_token } = mine;
  const good = { client_id, refresh_token };
  const changed = `${refresh_token.slice(0, -1)}${refresh_token.endsWith("0") ? "1" : "0"}`;
  return [
    {
      rfc: "6749 6: refresh_token is required",
      at: "token",
      form: { client_id },
      expected: "invalid_request",
    },
    {
      rfc: "6749 3.2.1: a public client says its client_id",
      at: "token",
      form: { refresh_token },
      expected: "invalid_request",
    },
    {
      rfc: "6749 6: the token is bound to its client",
      at: "token",
      form: { ...good, client_id: other },
      expected: "invalid_grant",
    },
    {
      rfc: "6749 5.2: a token that nobody ever had",
      at: "token",
      form: { ...good, refresh_token: "x" },
      expected: "invalid_grant",
    },
    {
      rfc: "6749 10.10: nor one that was guessed",
      at: "token",
      form: { ...good, refresh_token: changed },
      expected: "invalid_grant",
    },
    {
      rfc: "6749 1.5: an access token refreshes nothing",
      at: "token",
      form: { ...good, refresh_token: access_token },
      expected: "invalid_grant",
    },
    {
      rfc: "6749 6: no scope beyond the grant's",
      at: "token",
      form: {
        client_id: reader.client_id,
        refresh_token: reader.refresh_token,
        scope: "read write",
      },
      expected: "invalid_scope",
    },
    {
      rfc: "6749 5.2: an unknown scope",
      at: "token",
      form: { ...good, scope: "everything" },
      expected: "invalid_scope",
    },
    {
      rfc: "6749 5.2: another grant type",
      at: "token",
      form: { ...good, grant_type: "password" },
      expected: "unsupported_grant_type",
    },
    {
      rfc: "8707 2.2: another resource",
      at: "token",
      form: { ...good, resource: "https://elsewhere.example" },
      expected: "invalid_target",
    },
    {
      rfc: "7009 2.1: token is required",
      at: "revoke",
      form: { client_id },
      expected: "invalid_request",
    },
    {
      rfc: "7009 2.1: so is the client",
      at: "revoke",
      form: { token: access_token },
      expected: "invalid_request",
    },
    {
      rfc: "7009 2.1: the token of another client",
      at: "revoke",
      form: { token: refresh_token, client_id: other },
      expected: "invalid_grant",
    },
    {
      rfc: "7009 2.1: and its access token",
      at: "revoke",
      form: { token: access_token, client_id: other },
      expected: "invalid_grant",
    },
    {
      rfc: "7009 2.2: an invalid token is no error",
      at: "revoke",
      form: { token: "x", client_id },
      expected: 200,
    },
    {
      rfc: "7009 2.2: nor is one that was guessed",
      at: "revoke",
      form: { token: changed, client_id },
      expected: 200,
    },
    {
      rfc: "7009 2.2.1: the token of an agent is no grant's, and goes on",
      at: "revoke",
      form: { token: `sk_${"0".repeat(48)}`, client_id },
      expected: "unsupported_token_type",
    },
    {
      rfc: "7009 2.1: a wrong hint is no error",
      at: "revoke",
      form: { token: "x", client_id, token_type_hint: "refresh_token" },
      expected: 200,
    },
  ];
}

eachEngine("RFC 6749, 7009, 9700: requirement, request, answer", async (service) => {
  const { signIn, registerAs, refresh, revoke } = dance(service);
  const other = (await registerAs(REFRESHING)).body.client_id;
  const mine = await signIn();
  const { client_id, refresh_token, access_token } = mine;
  const reader = await signIn(REFRESHING, { scope: "read" });
  const good = { client_id, refresh_token };
  const points = pointsOf({ mine, reader, other });
  const send = { token: refresh, revoke };
  for (const { rfc, at, form, expected } of points) {
    const sent = Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const { status, body, headers } = await send[at](sent);
    assert.equal(typeof expected === "number" ? status : body.error, expected, rfc);
    assert.equal(status, typeof expected === "number" ? expected : 400, rfc);
    assert.equal(headers.get("cache-control"), "no-store", rfc);
  }
  assert.notEqual(await agentOf(service, access_token), null, "none of them ended anything");

  const next = await refresh({ ...good, resource: `${PUBLIC}/api/v1/mcp` });
  const { expires_in, token_type, scope, ...tokens } = next.body;
  assert.deepEqual(
    [next.status, expires_in, token_type, scope, Object.keys(tokens).sort()],
    [200, ACCESS_LIVES_S, "Bearer", "read write", ["access_token", "refresh_token"]],
    "6749 5.1",
  );
  const less = await refresh({ ...good, scope: "read" });
  assert.equal(less.body.scope, "read", "6749 6: a smaller scope, said in the answer");

  const ended = await revoke({ token: less.body.access_token, client_id });
  assert.match(ended.body.notice, /refresh token of its grant gives another/);
  assert.equal(await agentOf(service, less.body.access_token), null, "7009 2: it ends at once");
  assert.notEqual(await agentOf(service, tokens.access_token), null, "and no other one");
  const last = await revoke({
    token: tokens.refresh_token,
    client_id,
    token_type_hint: "access_token",
  });
  assert.match(last.body.notice, /nobody can act as it any more/);
  for (const each of [access_token, tokens.access_token])
    assert.equal(await agentOf(service, each), null, "7009 2.1: its access tokens end with it");
  const gone = await refresh({ client_id, refresh_token: tokens.refresh_token });
  assert.deepEqual([gone.status, gone.body.error], [400, "invalid_grant"]);
  const get = await fetch(`${service.url}/oauth/revoke`);
  assert.equal(get.status, 405);
  const json = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  assert.deepEqual([json.status, (await jsonOf(json)).error], [400, "invalid_request"]);
});

eachEngine("RFC 7591, 8414, 9728: what a client registers, and is told", async (service) => {
  const { registerAs, authorize, exchange, signIn } = dance(service);
  const plain = (await registerAs({})).body;
  assert.deepEqual([plain.grant_types, plain.scope], [["authorization_code"], "read write"]);
  const all = (await registerAs({ ...REFRESHING, scope: "read", client_name: "A host" })).body;
  assert.deepEqual(
    [all.grant_types, all.scope, all.client_name],
    [["authorization_code", "refresh_token"], "read", "A host"],
  );
  const refused = await registerAs({ scope: "everything" });
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_client_metadata"]);
  const scopes: readonly [object, string | undefined, string][] = [
    [{}, undefined, "read write"],
    [{}, "read", "read"],
    [{}, "write", "read write"],
    [{}, "offline_access read write", "read write"],
    [{}, "openid", "read write"],
    [{}, "everything", "invalid_scope"],
    [{ scope: "read" }, undefined, "read"],
    [{ scope: "read" }, "read write", "read"],
    [{ scope: "read" }, "write", "invalid_scope"],
  ];
  for (const [metadata, scope, expected] of scopes) {
    const { client_id } = (await registerAs(metadata)).body;
    const { said, status } = await authorize({
      client_id,
      state: "s",
      ...(scope !== undefined && { scope }),
    });
    assert.equal(status, 302);
    const made = said.code && (await exchange({ client_id, code: said.code })).body;
    assert.equal(made?.scope ?? said.error, expected, `${JSON.stringify(metadata)} ${scope}`);
  }

  const { access_token, refresh_token, expires_in } = await signIn({});
  assert.deepEqual([refresh_token, expires_in], [undefined, undefined], "as it was");
  const agent_id = await agentOf(service, access_token);
  await service.seal();
  service.pass(3 * ACCESS_LIVES_S);
  assert.equal(await agentOf(service, access_token), agent_id, "it has no end");

  const read = async (path: string) => jsonOf(await fetch(`${service.url}/.well-known/${path}`));
  const server = await read("oauth-authorization-server");
  assert.equal(server.revocation_endpoint, `${PUBLIC}/oauth/revoke`);
  assert.deepEqual(server.revocation_endpoint_auth_methods_supported, ["none"]);
  assert.deepEqual(server.grant_types_supported, ["authorization_code", "refresh_token"]);
  assert.deepEqual(server.scopes_supported, ["read", "write"]);
  const resource = await read("oauth-protected-resource/api/v1/mcp");
  assert.deepEqual(resource.scopes_supported, ["read", "write"]);
});

eachEngine("a refresh token holds until the next one is used", async (service) => {
  const { signIn, refresh } = dance(service);
  const { client_id, refresh_token: r0 } = await signIn();
  const give = async (refresh_token: string) => (await refresh({ client_id, refresh_token })).body;
  const at = await Promise.all(Array.from({ length: 3 }, () => give(r0)));
  const [r1] = at.map(({ refresh_token }) => refresh_token);
  assert.deepEqual(
    at.map(({ refresh_token }) => refresh_token),
    [r1, r1, r1],
  );
  assert.notEqual(r1, r0);
  const agents = await Promise.all(at.map((each) => agentOf(service, each.access_token)));
  assert.equal(new Set(agents).size, 1, "each has an access token of one agent");
  assert.equal((await give(r0)).refresh_token, r1, "the answer was lost");
  const after = await give(r1);
  assert.notEqual(after.refresh_token, r1);

  const reused = await refresh({ client_id, refresh_token: r0 });
  assert.deepEqual([reused.status, reused.body.error], [400, "invalid_grant"]);
  assert.equal(await agentOf(service, after.access_token), null, "RFC 9700, 4.14.2");
  const back = await give(after.refresh_token);
  assert.equal(await agentOf(service, back.access_token), agents[0], "the identity stays");
  const revoked = await dance(service).revoke({ client_id, token: r0 });
  assert.equal(revoked.status, 200);
  assert.equal(await agentOf(service, back.access_token), null);
  const still = await give(back.refresh_token);
  assert.equal(await agentOf(service, still.access_token), agents[0], "an old token ends no agent");
});

const rewind = prepared((db, p: { newest: number }) =>
  db.updateTable("oauth_grant").set({ newest: p.newest }),
);
const countAccess = prepared((db, _: object) =>
  db.selectFrom("access_token").select((eb) => eb.fn.countAll().as("n")),
);

eachEngine("a grant has few access tokens, and comes back after a restore", async (service) => {
  const { signIn, refresh } = dance(service);
  const { client_id, ...first } = await signIn();
  let { refresh_token } = first;
  const tokens: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { body } = await refresh({ client_id, refresh_token });
    ({ refresh_token } = body);
    tokens.push(body.access_token);
    service.pass(1);
  }
  const live = await Promise.all(tokens.map((each) => agentOf(service, each)));
  assert.deepEqual(
    live.map((each) => each !== null),
    [false, false, true, true, true, true],
  );
  const { read, write } = service.service.context;
  assert.equal(Number((await countAccess.first(read, {}))?.n), ACCESS_TOKENS_MAX);
  service.pass(ACCESS_LIVES_S);
  await refresh({ client_id, refresh_token });
  assert.equal(Number((await countAccess.first(read, {}))?.n), 1, "what is over is forgotten");
  await write((tx) => rewind.run(tx, { newest: 2 })); // As a backup of an earlier time has it.
  const { status, body } = await refresh({ client_id, refresh_token });
  assert.deepEqual([status, await agentOf(service, body.access_token)], [200, live.at(-1)]);
});

eachEngine(
  "a grant's token works by MCP alone, and cannot keep what outlives it",
  async (service) => {
    const { signIn, refresh } = dance(service);
    const { access_token, refresh_token, client_id } = await signIn();
    const authorization = `Bearer ${access_token}`;
    const post = (path: string, body: object) =>
      fetch(`${service.url}${path}`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const elsewhere = [
      await fetch(`${service.url}/api/v1/me`, { headers: { authorization } }),
      await post("/api/v1/post", { body: "Hello." }),
      await post("/api/v1/token/rotate", {}),
      await post("/api/v1/key", { pubkey: "a".repeat(64) }),
      await post("/api/v1/a2a", { jsonrpc: "2.0", id: 1, method: "ListTasks", params: {} }),
      await fetch(`${service.url}/api/v1/a2a/rest/tasks`, { headers: { authorization } }),
    ];
    for (const answer of elsewhere) {
      assert.equal(answer.status, 401, answer.url);
      assert.match(await answer.text(), /works in the header of POST \/api\/v1\/mcp alone/);
    }
    const coin = await jsonOf(
      await fetch(`${service.url}/api/v1/coin`, { headers: { authorization } }),
    );
    assert.equal(coin.you.agent_id, undefined, "where a token is optional it is nobody's");
    const open = await fetch(`${service.url}/api/v1/mcp/open`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "me_get" },
      }),
    });
    assert.equal((await jsonOf(open)).result.isError, undefined, "both doors are one resource");

    const call = async (name: string, args: object = {}) =>
      (await toolAt(service, access_token, name, { ...args })).result;
    const rotated = await call("cairn_call", { name: "token_rotate" });
    assert.equal(rotated.isError, true);
    assert.match(rotated.content[0].text, /\/api\/v1\/mcp\/open/);
    const found = await call("cairn_tools", { intent: "my token leaked, replace it" });
    assert.match(found.content[0].text, /token_rotate.*\/api\/v1\/mcp\/open/);
    const keyed = await call("profile_set", { capabilities: ["sums", `e2e:${"A".repeat(43)}`] });
    assert.match(keyed.content[0].text, /cannot set or drop keys/);
    assert.equal((await call("profile_set", { capabilities: ["sums"] })).isError, undefined);

    // None of its tokens is published, in whatever form.
    for (const token of [access_token, refresh_token]) {
      const said = await call("post_create", { body: `Mine is ${token}.` });
      assert.match(said.content[0].text, /token_in_body/);
    }
    const dead = `cr_${"0a".repeat(48)}`;
    const made = await call("post_create", { body: `It looks like ${dead}.` });
    assert.equal(made.structuredContent.post.flagged, "grant_token_like");

    const [grant] = (await call("grant_list")).structuredContent.grants;
    assert.deepEqual([grant.is_this, grant.scope, grant.refreshes], [true, "write", true]);
    const warned = await call("grant_end", { id: grant.id });
    assert.match(warned.content[0].text, /only way to its agent.*ends_agent/s);
    assert.notEqual(await agentOf(service, access_token), null);
    assert.deepEqual(
      (await call("grant_end", { id: grant.id + 1 })).structuredContent.ended,
      false,
    );
    const ended = await call("grant_end", { id: grant.id, ends_agent: true });
    assert.equal(ended.structuredContent.ended, true);
    assert.match(ended.structuredContent.hints[0].problem, /nobody can act as it/);
    assert.equal(await agentOf(service, access_token), null);
    assert.equal((await refresh({ client_id, refresh_token })).body.error, "invalid_grant");
  },
);

eachEngine("a sign-in for reads writes nothing", async (service) => {
  const { access_token } = await dance(service).signIn(REFRESHING, { scope: "read" });
  const writes: readonly [string, object][] = [
    ["post_create", { body: "Hello." }],
    ["post_create", { body: "Hello.", dry_run: true }],
    ["cairn_call", { name: "handle_set", arguments: { handle: "ada" } }],
    ["dm_list", {}],
    ["grant_end", { id: 1 }],
  ];
  for (const [name, args] of writes) {
    const { status, result } = await toolAt(service, access_token, name, { ...args });
    assert.deepEqual([status, result.isError], [200, true], name);
    assert.match(result.content[0].text, /insufficient_scope/, name);
    assert.match(
      result._meta["mcp/www_authenticate"][0],
      /error="insufficient_scope", scope="read write"/,
    );
  }
  for (const name of ["me_get", "inbox_list", "feed_list", "grant_list"]) {
    const { result } = await toolAt(service, access_token, name);
    assert.equal(result.isError, undefined, name);
  }
  assert.equal((await service.get("/feed")).body.count, 0);
});

/** A grant of an agent whose permanent token is known. */
async function granted({ service }: TestService, agent: TestAgent, id: number) {
  const asked = {
    client_sha256: tokenDigest("client"),
    client_name: "A host",
    scope: "write",
    refreshes: true,
  } as const;
  const key = await sharedKey(service.context, "authorization");
  const grant = newGrant(service.context, key, asked);
  await service.context.write((tx) => grant.store(tx, id));
  return { ...grant.issued, agent_id: agent.agent_id };
}

const rowOf = prepared((db, p: { agent_id: string }) =>
  db.selectFrom("agent").select("id").where("agent_id", "=", p.agent_id),
);

eachEngine(
  "an agent lists and ends its grants, one of which sees itself alone",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { read } = service.service.context;
    const id = (await rowOf.first(read, { agent_id: ada.agent_id }))?.id ?? 0;
    const [one, two] = [await granted(service, ada, id), await granted(service, ada, id)];
    const { body } = await ada.get("/me/grants");
    assert.deepEqual(
      body.grants.map(({ client, is_this }: Record<string, unknown>) => [client, is_this]),
      [
        ["A host", false],
        ["A host", false],
      ],
    );
    const [newest, oldest] = body.grants;
    const seen = (await toolAt(service, one.access_token, "grant_list")).result.structuredContent;
    assert.deepEqual(
      seen.grants.map((each: { id: number }) => each.id),
      [oldest.id],
    );
    const theirs = await toolAt(service, one.access_token, "grant_end", { id: newest.id });
    assert.equal(theirs.result.structuredContent.ended, false, "another one's is not there");
    assert.equal((await bob.post("/me/grants/end", { id: newest.id })).body.ended, false);
    assert.equal((await bob.get("/me/grants")).body.count, 0);

    const rotated = await ada.post("/token/rotate", {});
    assert.match(
      rotated.body.hints[0].problem,
      /2 of your sign-ins by OAuth go on; GET \/api\/v1\/me\/grants/,
    );
    assert.equal(await agentOf(service, two.access_token), ada.agent_id, "rows of their own");
    const fresh = { token: rotated.body.token };
    const tried = await service.post("/me/grants/end", { id: newest.id, dry_run: true }, fresh);
    assert.deepEqual([tried.body.ended, tried.body.dry_run], [true, true]);
    assert.equal(await agentOf(service, two.access_token), ada.agent_id);
    assert.equal((await service.post("/me/grants/end", { id: newest.id }, fresh)).body.ended, true);
    assert.equal(await agentOf(service, two.access_token), null);
    assert.equal(await agentOf(service, one.access_token), ada.agent_id);
    const again = await service.post("/me/grants/end", { id: newest.id }, fresh);
    assert.deepEqual([again.status, again.body.ended], [200, false]);
    const last = await service.post("/me/grants/end", { id: oldest.id }, fresh);
    assert.deepEqual([last.status, last.body.hints], [200, undefined], "its token is another way");
  },
);

eachEngine("a banned agent comes back, and is told why", async (service) => {
  const { signIn, refresh } = dance(service);
  const { access_token, refresh_token, client_id } = await signIn();
  const agent = (await agentOf(service, access_token)) ?? "";
  await banAgent(service.service.context, { agent, reason: "Spam." });
  const told = async (token: string) => {
    const { status, result } = await toolAt(service, token, "me_get");
    assert.deepEqual([status, result.isError], [200, true]);
    assert.match(result.content[0].text, /banned/);
  };
  await told(access_token);
  service.pass(ACCESS_LIVES_S);
  await told(access_token);
  const { status, body } = await refresh({ client_id, refresh_token });
  assert.equal(status, 200, "else its host would be another agent");
  await told(body.access_token);
});

eachEngine("only the refresh token brings an agent back", async (service) => {
  const { signIn, authorize, exchange, registerAs } = dance(service);
  const one = await signIn();
  const agent = await agentOf(service, one.access_token);
  const headers = {
    cookie: `token=${one.access_token}`,
    authorization: `Bearer ${one.access_token}`,
  };
  const { client_id } = one;
  const { code = "" } = (await authorize({ client_id, login_hint: String(agent) })).said;
  const same = await exchange({ client_id, code, access_token: one.access_token }, headers);
  assert.notEqual(
    await agentOf(service, same.body.access_token),
    agent,
    "the client and its token do not",
  );
  const other = (await registerAs(REFRESHING)).body.client_id;
  const stolen = await dance(service).refresh({
    client_id: other,
    refresh_token: one.refresh_token,
  });
  assert.equal(stolen.body.error, "invalid_grant");
});

eachEngine("after a refusal of the service no client signs in anew", async (service) => {
  const { registerAs, authorize, exchange, signIn, refresh } = dance(service);
  const { client_id, refresh_token } = await signIn();
  const other = (await registerAs(REFRESHING)).body.client_id;
  const { code = "" } = (await authorize({ client_id: other })).said;
  await operate(service.service, "registrations pause", "--minutes", "60", "--reason", "A flood.");
  const jobs = perProcessJobs(service.service);
  service.pass(1);
  await jobs.find(({ name }) => name === "registration_pause")?.run();
  const many = await exchange({ client_id: other, code });
  assert.deepEqual([many.status, many.body.error], [429, "temporarily_unavailable"]);
  assert.ok(Number(many.headers.get("retry-after")) > 0);
  assert.equal((await refresh({ client_id, refresh_token })).status, 200, "that makes no agent");
  const big = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `x=${"y".repeat(9_000)}`,
  });
  assert.deepEqual([big.status, (await jsonOf(big)).error], [413, "invalid_request"]);
  for (const status of [429, 500, 503])
    assert.equal(refusalOf({ status, message: "" }).error, "temporarily_unavailable");
});
