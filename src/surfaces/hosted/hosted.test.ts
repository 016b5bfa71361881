import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { rawSocket } from "../../../test/raw-socket.ts";
import {
  ENGINES,
  eachEngine,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { hideApp, unhideApp } from "../../domains/apps/hiding.ts";
import { REFUSED_FEATURES } from "./features.ts";

/** With the hashes of these scripts, each followed by a space. */
const policyOf = (hashes = ""): string =>
  `sandbox allow-scripts allow-forms allow-pointer-lock; default-src 'none'; script-src 'unsafe-eval' blob: data:; script-src-elem ${hashes}blob: data:; script-src-attr 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; worker-src blob:; connect-src http://127.0.0.1:8080/api/v1/; form-action 'none'; base-uri 'none'; frame-src 'none'; object-src 'none'; frame-ancestors 'none'; webrtc 'block', script-src-elem 'unsafe-inline' blob: data:`;
const CSP = policyOf();

const SANDBOX = {
  "content-security-policy": CSP,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": REFUSED_FEATURES.map((feature) => `${feature}=()`).join(", "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-robots-tag": "noindex, nofollow",
};

const HTML =
  "\ufeff<!doctype html>\r\n<title>石</title>\n<p>\u202e {{no}} template \u0001 🪨  \r\n\r\n";
const TAG = `"${createHash("sha256").update(HTML).digest("hex")}"`;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function ask(service: TestService, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(service.url + path, { redirect: "manual", ...init });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}

/** All headers but those that Node and the connection bring. */
function headersOf({ headers }: Answer): Record<string, string> {
  const left = ["connection", "date", "keep-alive", "x-request-id", "content-length"];
  return Object.fromEntries([...headers].filter(([name]) => !left.includes(name)));
}

const errorOf = ({ bytes }: Answer): string => JSON.parse(bytes.toString()).error;

// biome-ignore lint/suspicious/noExplicitAny: fields of answers are read freely
async function host(agent: TestAgent, html: string): Promise<any> {
  const { body } = await agent.post("/app", { name: "Stone", description: "A stone.", html });
  return body;
}

eachEngine("a page is sandboxed however its address is written", async (service) => {
  const { slug } = await host(await service.register(), HTML);
  const port = Number(new URL(service.url).port);
  for (const path of [`/app/${slug}`, "/app/nobody-aaaaaa", "/app/"]) {
    const socket = await rawSocket(port);
    socket.send(`GET http://any.example${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const [answer] = await socket.end();
    assert.equal(answer?.headers.get("content-security-policy"), CSP, path);
    assert.equal(answer?.status, path.includes(slug) ? 200 : 404, path);
  }
});

eachEngine("a page is served byte for byte, with exactly these headers", async (service) => {
  const { slug } = await host(await service.register(), HTML);
  const page = await ask(service, `/app/${slug}`);
  assert.equal(page.status, 200);
  assert.deepEqual(page.bytes, Buffer.from(HTML));
  const shared = { ...SANDBOX, "cache-control": "no-cache", etag: TAG };
  const whole = { ...shared, "content-type": "text/html; charset=utf-8" };
  assert.deepEqual(headersOf(page), whole);
  assert.match(page.headers.get("x-request-id") ?? "", /^[0-9a-f]{16}$/);

  const head = await ask(service, `/app/${slug}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
  assert.deepEqual(headersOf(head), whole);
  assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(HTML)));

  for (const tag of [TAG, `W/${TAG}`, `"x", ${TAG}`, "*"]) {
    const unchanged = await ask(service, `/app/${slug}`, { headers: { "if-none-match": tag } });
    assert.deepEqual([unchanged.status, unchanged.bytes.length], [304, 0], tag);
    assert.deepEqual(headersOf(unchanged), shared);
  }
  const query = await ask(service, `/app/${slug}?x=1&x=2`);
  assert.deepEqual(query.bytes, page.bytes, "the query is the page's own");
});

eachEngine(
  "a page's head names its inline scripts, and is short enough for proxies",
  async (service) => {
    const author = await service.register();
    const scripts = Array.from({ length: 40 }, (_, i) => `let n${i} = ${i};`);
    const html = scripts.map((text) => `<script>${text}</script>`).join("\r\n");
    const { slug, app } = await host(author, html);
    assert.deepEqual([app.scripts.inline, app.scripts.allowed], [40, 32]);
    assert.deepEqual(app.scripts.refused[0], { n: 33, why: "too_many" });
    const hashes = scripts.slice(0, 32).map((text) => {
      const hash = createHash("sha256").update(text).digest("base64");
      return `'sha256-${hash}' `;
    });
    const page = await ask(service, `/app/${slug}`);
    assert.equal(page.headers.get("content-security-policy"), policyOf(hashes.join("")));
    const tag = page.headers.get("etag") ?? "";
    const unchanged = await ask(service, `/app/${slug}`, { headers: { "if-none-match": tag } });
    assert.equal(unchanged.status, 304);
    assert.equal(unchanged.headers.get("content-security-policy"), policyOf(hashes.join("")));
    const head = [...page.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    assert.ok(head.length <= 4_000, `${head.length} bytes`);
    const missing = await ask(service, `/app/${slug}/x`);
    assert.equal(missing.headers.get("content-security-policy"), CSP);
  },
);

eachEngine("whatever is answered below /app/ is sandboxed", async (service) => {
  const { slug } = await host(await service.register(), HTML);
  const json = { ...SANDBOX, "content-type": "application/json", "cache-control": "no-store" };
  const missing = ["stone-aaaaaa", slug.toUpperCase(), "x", "-", `%73${slug.slice(1)}`];
  for (const name of missing) {
    const answer = await ask(service, `/app/${name}`);
    assert.deepEqual([answer.status, errorOf(answer)], [404, "app_not_found"], name);
    assert.deepEqual(headersOf(answer), json);
  }
  for (const path of ["/app/", `/app/${slug}/`, `/app/${slug}/x`, `/app/${slug}//`]) {
    const answer = await ask(service, path);
    assert.deepEqual([answer.status, errorOf(answer)], [404, "not_found"], path);
    assert.deepEqual(headersOf(answer), json);
  }
  const bad = await ask(service, `/app/${slug}%2F`);
  assert.deepEqual([bad.status, errorOf(bad)], [400, "bad_request"]);
  assert.deepEqual(headersOf(bad), json);
  for (const method of ["POST", "PUT", "DELETE"]) {
    const answer = await ask(service, `/app/${slug}`, { method });
    assert.deepEqual([answer.status, errorOf(answer)], [405, "method_not_allowed"]);
    assert.deepEqual(headersOf(answer), { ...json, allow: "GET, HEAD, OPTIONS" });
  }
  const options = await ask(service, `/app/${slug}`, { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
  assert.equal(options.headers.get("access-control-allow-origin"), null);
  const beside = await ask(service, "/app");
  assert.equal(beside.headers.get("access-control-allow-origin"), "*", "the network's own 404");
  assert.equal((await ask(service, "/api/v1/app/1")).headers.get("x-robots-tag"), null);
});

eachEngine("a hidden page answers 410 from the next request on", async (service) => {
  const { context } = service.service;
  const { id, slug } = await host(await service.register(), HTML);
  for (let i = 0; i < 3; i++) assert.equal((await ask(service, `/app/${slug}`)).status, 200);
  await hideApp(context, { app_id: id });
  const json = { ...SANDBOX, "content-type": "application/json", "cache-control": "no-store" };
  const gone = await ask(service, `/app/${slug}`, { headers: { "if-none-match": TAG } });
  assert.deepEqual([gone.status, errorOf(gone)], [410, "app_hidden"]);
  assert.deepEqual(headersOf(gone), json);
  await unhideApp(context, { app_id: id });
  assert.equal((await ask(service, `/app/${slug}`)).status, 200);
});

eachEngine("the catalogue and OpenAPI name the pages", async (service) => {
  const { body } = await service.get("");
  assert.ok(body.outside_base.includes("/app/{slug}"));
  assert.equal(Object.values(body.documents).includes("/app/{slug}"), false);
  const row = body.routes.find(({ path }: { path: string }) => path === "/app/{slug}");
  assert.deepEqual([row.method, row.token, row.sends], ["GET", "no", ["slug"]]);
  const { get } = (await service.get("/openapi.json")).body.paths["/app/{slug}"];
  assert.equal(get.parameters[0].name, "slug");
  assert.deepEqual(Object.keys(get.responses["200"].content), ["text/html; charset=utf-8"]);
  for (const status of ["304", "404", "410"]) assert.ok(get.responses[status], status);
});

/** A service whose applications have origins of their own. */
async function openApart(t: TestContext, engine: (typeof ENGINES)[number]) {
  const service = await openTestService(engine, t.name, {
    CAIRN_APPS_ORIGIN: "https://{slug}.apps.example.net",
  });
  t.after(service.close);
  return service;
}

for (const engine of ENGINES) {
  test(`with origins of their own, /app/ is only the way to them [${engine}]`, async (t) => {
    const service = await openApart(t, engine);
    const { body } = await (await service.register()).post("/app", {
      name: "Stone",
      description: "A stone.",
      html: HTML,
    });
    const url = `https://${body.slug}.apps.example.net/`;
    assert.equal(body.url, url);
    for (const [sent, rest] of [
      ["", ""],
      ["?a=b&c", "?a=b&c"],
    ]) {
      const moved = await ask(service, `/app/${body.slug}${sent}`, {
        headers: { "if-none-match": "*" },
      });
      assert.deepEqual([moved.status, moved.bytes.length], [302, 0]);
      const headers = { ...SANDBOX, "cache-control": "no-store", location: `${url}${rest}` };
      assert.deepEqual(headersOf(moved), headers);
    }
    for (const name of ["evil.example", "UPPER-aaaaaa", "x"]) {
      const answer = await ask(service, `/app/${name}`);
      assert.deepEqual([answer.status, errorOf(answer)], [404, "app_not_found"], name);
      assert.equal(answer.headers.get("content-security-policy"), CSP);
    }
  });

  test(`an application's own host answers at its root [${engine}]`, async (t) => {
    const service = await openApart(t, engine);
    const { id, slug } = await host(await service.register(), HTML);
    const port = Number(new URL(service.url).port);
    const at = async (name: string, path: string, method = "GET") => {
      const socket = await rawSocket(port);
      socket.send(`${method} ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
      const [answer] = await socket.end();
      assert.ok(answer);
      return answer;
    };
    const own = `${slug}.apps.example.net`;
    for (const name of [own, own.toUpperCase(), `${own}.`, `${own}:443`, `${own}:8443`]) {
      const page = await at(name, "/?x");
      assert.deepEqual([page.status, page.headers.get("etag")], [200, TAG], name);
      assert.equal(page.text, Buffer.from(HTML).toString("latin1"));
      assert.equal(page.headers.get("content-security-policy"), CSP);
    }
    const absolute = await at("test.example", `http://${own}/`);
    assert.deepEqual([absolute.status, absolute.headers.get("etag")], [200, TAG]);
    assert.equal(absolute.headers.get("content-security-policy"), CSP);
    const elsewhere = await at(own, "http://test.example/");
    assert.notEqual(elsewhere.headers.get("etag"), TAG, "the target names the host, not Host");
    const nameless = await rawSocket(port);
    nameless.send("GET / HTTP/1.0\r\n\r\n");
    assert.notEqual((await nameless.end())[0]?.headers.get("etag"), TAG);
    for (const path of ["/x", "/api/v1", `/app/${slug}`, "/index.html"]) {
      const answer = await at(own, path);
      assert.deepEqual([answer.status, JSON.parse(answer.text).error], [404, "not_found"], path);
      assert.equal(answer.headers.get("content-security-policy"), CSP);
    }
    const unknown = await at("stone-aaaaaa.apps.example.net", "/");
    assert.deepEqual([unknown.status, JSON.parse(unknown.text).error], [404, "app_not_found"]);
    const posted = await at(own, "/", "POST");
    assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
    for (const name of [
      "apps.example.net",
      `a.${own}`,
      `${own}.evil.example`,
      "appsxexample.net",
    ]) {
      const answer = await at(name, "/");
      assert.deepEqual([answer.status, answer.headers.get("etag") === TAG], [200, false], name);
      assert.equal(answer.headers.get("access-control-allow-origin"), "*", "the network's root");
    }
    await hideApp(service.service.context, { app_id: id });
    assert.equal((await at(own, "/")).status, 410);
  });
}

test("the network's own host may lie in the domain of the applications", async (t) => {
  const service = await openTestService("sqlite", t.name, {
    CAIRN_APPS_ORIGIN: "https://{slug}.0.0.1",
  });
  t.after(service.close);
  // The base URL of the tests is http://127.0.0.1:8080.
  assert.equal((await service.get("/feed")).status, 200);
});
