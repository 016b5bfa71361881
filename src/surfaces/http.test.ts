import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { AS_AGENT, ask, BASE, open, post } from "../../test/ask.ts";
import { REFUSED_USER_AGENT } from "./wire/edge.ts";

/** All headers but those that Node and the connection bring. */
const headersOf = ({ headers }: { readonly headers: Headers }) => {
  const [...pairs] = headers;
  const left = ["connection", "date", "keep-alive", "x-request-id"];
  return Object.fromEntries(pairs.filter(([name]) => !left.includes(name)));
};

const COMMON = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, www-authenticate, etag, x-request-id, allow",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

test("answers carry exactly these headers", async (t) => {
  const tiny = await open(t);
  const json = { ...COMMON, "content-type": "application/json" };
  await ask(tiny, `${BASE}/items`); // Each call says something new, and the second answer is kept.
  const read = await ask(tiny, `${BASE}/items`);
  const etag = read.headers.get("etag") ?? "";
  assert.match(etag, /^"[A-Za-z0-9_-]{22}"$/);
  const length = String(read.text.length);
  assert.deepEqual(headersOf(read), {
    ...json,
    "cache-control": "no-cache",
    "content-length": length,
    etag,
  });
  const unchanged = await ask(tiny, `${BASE}/items`, { headers: { "if-none-match": etag } });
  assert.deepEqual(headersOf(unchanged), { ...COMMON, "cache-control": "no-cache", etag });
  const written = await post(tiny, `${BASE}/items`, { body: "x" }, AS_AGENT);
  assert.deepEqual(headersOf(written), {
    ...json,
    "cache-control": "no-store",
    "content-length": String(written.text.length),
  });
  const preflight = await ask(tiny, `${BASE}/items`, { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
  assert.deepEqual(headersOf(preflight), {
    ...COMMON,
    "access-control-allow-headers":
      "authorization, content-type, accept, prefer, idempotency-key, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, a2a-version, last-event-id",
    "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
    "access-control-max-age": "86400",
    allow: "GET, HEAD, POST, OPTIONS",
    "cache-control": "no-store",
  });
  const about = await ask(tiny, `${BASE}/about`);
  assert.equal(about.headers.get("cache-control"), "public, max-age=60");
  assert.equal((await ask(tiny, `${BASE}/fresh`)).headers.get("cache-control"), "no-store");
  const root = await ask(tiny, "/");
  assert.equal(root.text, "Hello.");
  assert.equal(root.headers.get("content-type"), "text/plain");
  assert.equal(root.headers.get("cache-control"), "public, max-age=300");
});

test("HSTS is promised only behind https", async (t) => {
  for (const [baseUrl, promised] of [
    ["https://tiny.test", "max-age=31536000"],
    ["http://tiny.test", null],
  ] as const) {
    const tiny = await open(t, { baseUrl });
    for (const path of [`${BASE}/items`, "/nowhere"])
      assert.equal((await ask(tiny, path)).headers.get("strict-transport-security"), promised);
  }
});

test("paths match exactly, and methods as Allow says", async (t) => {
  const tiny = await open(t);
  for (const path of ["/items", "/api/v1", `${BASE}/items/`, `${BASE}//items`, `${BASE}/Items`])
    assert.equal((await ask(tiny, path)).body.error, "not_found", path);
  for (const path of ["/api/v1/f%72esh", `${BASE}/item/`, `${BASE}/item/a/b`, `${BASE}/item`])
    assert.equal((await ask(tiny, path, { method: "OPTIONS" })).status, 404, path);
  const rows = [
    ["POST", "/fresh", "GET, HEAD, OPTIONS"],
    ["GET", "/open", "POST, OPTIONS"],
    ["HEAD", "/open", "POST, OPTIONS"],
    ["DELETE", "/items", "GET, HEAD, POST, OPTIONS"],
  ] as const;
  for (const [method, path, allow] of rows) {
    const { status, headers } = await ask(tiny, BASE + path, { method });
    assert.deepEqual([status, headers.get("allow")], [405, allow], path);
  }
});

test("HEAD is GET without the body", async (t) => {
  const tiny = await open(t);
  for (const path of [`${BASE}/items`, `${BASE}/about`, `${BASE}/item/none`, "/", "/nowhere"]) {
    await ask(tiny, path); // Each call says something new, and the second answer is kept.
    const [get, head] = [await ask(tiny, path), await ask(tiny, path, { method: "HEAD" })];
    assert.equal(head.text, "");
    assert.equal(head.status, get.status);
    assert.deepEqual(headersOf(head), headersOf(get));
  }
  assert.equal(tiny.answered.at(-1)?.bytes, 0);
});

test("a parameter is taken once, decoded; unknown ones are ignored; the path wins", async (t) => {
  const tiny = await open(t);
  const tag = async (query: string) => (await ask(tiny, `${BASE}/items?${query}`)).body;
  assert.equal((await tag("tag=a+b%20c%2B&x=1&x=2&%ff")).tag, "a b c+");
  assert.equal((await ask(tiny, `${BASE}/items`)).body.tag, null);
  assert.equal((await tag("tag=")).tag, "");
  assert.equal((await tag("tag")).tag, "");
  assert.equal((await tag("t%61g=%E2%82%AC=")).tag, "€=");
  assert.deepEqual((await tag("tag=a&tag=a&limit=1&limit=2")).details, [
    { field: "tag", problem: "was sent twice" },
    { field: "limit", problem: "was sent twice" },
  ]);
  assert.equal((await tag("tag=%ff")).error, "validation_failed");
  assert.equal((await tag("__proto__=a")).ok, true);
  assert.equal((await ask(tiny, `${BASE}/item/caf%C3%A9?name=tea`)).body.name, "café");
  assert.equal((await ask(tiny, `${BASE}/item/a+b`)).body.name, "a+b");
  assert.equal((await ask(tiny, `${BASE}/item/%ff`)).body.details?.[0]?.field, "name");
});

test("the edge rule refuses one default client everywhere, and can be off", async (t) => {
  const headers = { "user-agent": "Python-urllib/3.11" };
  const on = await open(t);
  for (const path of [`${BASE}/items`, "/", "/nowhere"]) {
    const { status, body } = await ask(on, path, { headers });
    assert.deepEqual([status, body.error, body.code], [403, "1010", 1010]);
    assert.match(body.message ?? "", /^error code: 1010/);
  }
  for (const passing of ["python-urllib/3.11", "Python-urllib/3.11 mybot", "Python-urllib/", ""])
    assert.ok(!REFUSED_USER_AGENT.test(passing), passing);
  const off = await open(t, { edgeRule: "off" });
  assert.equal((await ask(off, `${BASE}/items`, { headers })).status, 200);
});

test("the rate limit holds for each caller by itself, public reads included", async (t) => {
  const tiny = await open(t, { perMinute: 2 });
  const statuses = async (path: string, headers: Record<string, string>) => {
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await ask(tiny, BASE + path, { headers }));
    const retryAfter = answers.at(-1)?.headers.get("retry-after");
    return [...answers.map(({ status }) => status), retryAfter];
  };
  assert.deepEqual(await statuses("/items", {}), [200, 200, 200, null]); // Its address is unknown.
  assert.deepEqual(await statuses("/me", AS_AGENT), [200, 200, 429, "30"]);
  const known = { "x-forwarded-for": "203.0.113.1, ::1" };
  assert.deepEqual(await statuses("/items", known), [200, 200, 200, null]);
  assert.deepEqual(await statuses("/nothing", known), [404, 429, 429, "15"]); // A network has two agents' share.
});

/** A read with a body, which `fetch` does not send. */
const readWithBody = (url: string, body: string) =>
  new Promise<{ status: number; hints: unknown }>((resolve, reject) => {
    const asked = request(url, { method: "GET", headers: { "content-length": body.length } });
    asked.on("error", reject).on("response", async (answer) => {
      const { hints } = JSON.parse(await text(answer));
      resolve({ status: answer.statusCode ?? 0, hints });
    });
    asked.end(body);
  });

test("a body of a read is ignored, and its sender is told", async (t) => {
  const tiny = await open(t);
  const url = `${tiny.url}${BASE}/items`;
  const problem = "is ignored with GET; send the fields in the query";
  assert.deepEqual(await readWithBody(url, '{"limit":1}'), {
    status: 200,
    hints: [{ field: "body", problem }],
  });
  assert.deepEqual(await readWithBody(url, ""), { status: 200, hints: undefined });
});
