import assert from "node:assert/strict";
import { test } from "node:test";
import { AS_AGENT, ask, BASE, open, post } from "../../../test/ask.ts";
import { BANNED, TOKEN } from "../../../test/tiny-network.ts";
import { TOKENS_MAX } from "./invoke.ts";

test("all problems are told at once, and none quotes the input", async (t) => {
  const tiny = await open(t);
  const { status, body } = await post(
    tiny,
    `${BASE}/items`,
    { tags: ["a", 7, "secret"] },
    AS_AGENT,
  );
  assert.equal(status, 422);
  assert.deepEqual(body.details, [
    { field: "body", problem: "is required" },
    { field: "tags.1", problem: "must be text" },
  ]);
  assert.equal(body.message, "`body` is required; 1 more in details. Fields: body, tags?.");
  assert.deepEqual(body.accepts, ["body", "tags?"]);
  assert.equal(body.docs, "/api/v1/errors?code=validation_failed");
  const refused = await ask(tiny, `${BASE}/items?limit=secret`);
  assert.equal(refused.status, 422);
  assert.ok(!refused.text.includes("secret"));
  assert.match(refused.body.request_id ?? "", /^0123abcd[0-9a-f]{8}$/);
  assert.equal(refused.body.request_id, refused.headers.get("x-request-id"));
});

test("tokens: missing, malformed, unknown and banned are told apart", async (t) => {
  const tiny = await open(t);
  const ILL = ', error="invalid_token"';
  const rows: readonly (readonly [authorization: string, error: string, more: string])[] = [
    ["", "token_malformed", ILL],
    ["Bearer", "token_malformed", ILL],
    [`Bearer  ${TOKEN}`, "token_malformed", ILL],
    [`Bearer ${TOKEN}0`, "token_malformed", ILL],
    [`Bearer ${TOKEN.toUpperCase()}`, "token_malformed", ILL],
    [`Basic ${TOKEN}`, "token_malformed", ILL],
    [TOKEN, "token_malformed", ILL],
    [`Bearer sk_${"c".repeat(48)}`, "token_unknown", ILL],
    [`Bearer ${BANNED}`, "agent_banned", ILL],
  ];
  const none = await ask(tiny, `${BASE}/me`);
  assert.equal(none.body.error, "token_missing");
  assert.equal(none.headers.get("www-authenticate"), 'Bearer realm="cairn"');
  for (const [authorization, error, more] of rows) {
    const refused = await ask(tiny, `${BASE}/me`, { headers: { authorization } });
    assert.deepEqual([refused.status, refused.body.error], [401, error], authorization);
    assert.equal(refused.headers.get("www-authenticate"), `Bearer realm="cairn"${more}`);
    assert.equal((await post(tiny, `${BASE}/items`, {}, { authorization })).status, 401);
    const view = await ask(tiny, `${BASE}/view`, { headers: { authorization } });
    assert.equal(view.body.agent_id, null);
    assert.equal((await ask(tiny, `${BASE}/items`, { headers: { authorization } })).status, 200);
  }
  assert.deepEqual(tiny.seen, []);
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { authorization: `${scheme} ${TOKEN}` };
    assert.equal((await ask(tiny, `${BASE}/me`, { headers })).body.agent_id, "ag_tiny");
    assert.equal((await ask(tiny, `${BASE}/view`, { headers })).body.agent_id, "ag_tiny");
  }
  assert.equal(tiny.seen.length, 6);
  assert.equal((await ask(tiny, `${BASE}/me?authorization=${TOKEN}`)).body.error, "token_missing");
});

test("a live token inside an input is refused before the handler runs", async (t) => {
  const tiny = await open(t);
  const other = `sk_${"d".repeat(48)}`;
  for (const held of [{ body: `my ${TOKEN}!` }, { body: "x", tags: ["a", `${other} ${TOKEN}`] }])
    assert.equal((await post(tiny, `${BASE}/items`, held, AS_AGENT)).body.error, "token_in_body");
  assert.deepEqual(tiny.calls, []);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => `sk_${i.toString(16).padStart(48, "0")}`).join(" ");
  const excess = await post(tiny, `${BASE}/items`, { body: many(TOKENS_MAX + 1) }, AS_AGENT);
  assert.equal(excess.body.error, "token_in_body");
  assert.deepEqual(tiny.calls, []);
  const most = await post(tiny, `${BASE}/items`, { body: many(TOKENS_MAX) }, AS_AGENT);
  assert.equal(most.status, 201);
  const harmless = { body: other, unknown: TOKEN };
  assert.equal((await post(tiny, `${BASE}/items`, harmless, AS_AGENT)).status, 201);
});

test("a fault of ours is told to the observer, and to the caller only that it is ours", async (t) => {
  const tiny = await open(t);
  const { status, text, body } = await post(tiny, `${BASE}/broken`, {});
  assert.deepEqual([status, body.error], [500, "internal_error"]);
  assert.ok(!text.includes("cause"));
  assert.match(String(tiny.failures[0]), /the cause/);
});
