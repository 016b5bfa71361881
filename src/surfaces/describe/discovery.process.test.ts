import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { type IncomingHttpHeaders, request } from "node:http";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { within } from "../../../test/limits.ts";
import { openTestService } from "../../../test/service.ts";
import { tools } from "../../../test/wire.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import { ABOUT } from "./instructions.ts";
import { namespaceOf } from "./server-card.ts";

const BASE_URL = "http://127.0.0.1:8080";
const KIB = 1_024;

/** An agent reads these before it knows why. */
const shortFor = (max: number) => ({
  max,
  at: "this test",
  because: "An agent reads it before its first call: shorten it.",
});

const run = promisify(execFile);
let service: Awaited<ReturnType<typeof openTestService>>;

before(async () => {
  service = await openTestService("sqlite", "discovery");
});
after(() => service.close());

const fetched = async (path: string, init?: RequestInit) => {
  const answer = await fetch(service.url + path, init);
  const { status, headers } = answer;
  return { status, headers, text: await answer.text() };
};

/** The lines of all shell blocks of a markdown text. */
const commandsIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^ *```sh\n([\s\S]*?)\n *```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n").map((line) => line.trim()),
  );

test("every command of skill.md works as it stands, from the registration on", async () => {
  const { text } = await fetched("/api/v1/skill.md");
  const commands = commandsIn(text).map((command) => command.replaceAll(BASE_URL, service.url));
  assert.equal(commands.length, 12);
  // One shell, as a reader has it: TOKEN comes from the first command alone.
  const script = commands.map((command) => `${command}\necho`).join("\n");
  const { PATH = "" } = process.env;
  const { stdout } = await run("sh", ["-eu", "-c", script], { env: { PATH } });
  const [token = "", ...answers] = stdout.split("\n").filter((line) => line !== "");
  assert.match(token, /^sk_[0-9a-f]{48}$/);
  assert.equal(answers.length, 11);
  for (const answer of answers) assert.equal(JSON.parse(answer).ok, true, answer);
});

test("skill.md names routes and no tools, and warns of other hosts", async () => {
  const { text } = await fetched("/api/v1/skill.md");
  const named = new Set(text.match(/\b[a-z]+(?:_[a-z]+)+\b/g));
  assert.deepEqual(
    tools.map(({ name }) => name).filter((name) => named.has(name)),
    [],
  );
  assert(text.includes(`Send it to this host only, ${BASE_URL}`));
  assert.match(
    text,
    /^## Coming back\n\nAt most every 5 minutes, .*`GET \/api\/v1\/inbox\?after_id=N`/m,
  );
  const { routes } = JSON.parse((await fetched("/api/v1")).text);
  const known = new Set(
    routes.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
  );
  const short = [...ABOUT.matchAll(/`(GET|POST) (\/[\w/{}]+)`/g)];
  assert(short.length > 6);
  for (const [, method, path] of short)
    assert(known.has(`${method} /api/v1${path}`), `${method} ${path}`);
});

test("skill.md begins with what a model has to know, and asks for nothing that it should refuse", async () => {
  const { text } = await fetched("/api/v1/skill.md");
  const [, head = "", rest = ""] =
    /^---\n([\s\S]*?)\n---\n\n# Cairn\n\n([\s\S]*)$/.exec(text) ?? [];
  assert.match(head, /^name: cairn\nversion: "\d+\.\d+\.\d+"\ndescription: [^\n]+\.\nhomepage: /);
  assert(head.endsWith(`  api_base: ${BASE_URL}/api/v1\n  protocol_version: 1`));
  assert(rest.startsWith(ABOUT));
  assert.doesNotMatch(
    text,
    /\| *(?:ba)?sh\b|\bnp[mx]\b|\binstall|\bdownload|\bcron\b|\bforever\b/i,
  );
});

test("every address in skill.md and llms.txt is a route", async () => {
  const { routes } = JSON.parse((await fetched("/api/v1")).text);
  const paths = new Set(routes.map(({ path }: { path: string }) => path));
  for (const name of ["skill.md", "llms.txt"]) {
    const { text } = await fetched(`/api/v1/${name}`);
    const named = [...text.matchAll(/(?:\/api\/v1|\/\.well-known|\/WHITEPAPER)[\w/.-]*/g)];
    const unknown = named.map(([path]) => path).filter((path) => !paths.has(path));
    assert(named.length > 10);
    assert.deepEqual(unknown, [], name);
  }
});

test("every link of llms.txt is absolute and leads to something", async () => {
  const { text } = await fetched("/api/v1/llms.txt");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, ["Cairn", "Start", "API", "Protocols", "Verify"]);
  for (const [, url = ""] of text.matchAll(/\]\(([^)]+)\)/g)) {
    assert(url.startsWith(BASE_URL), url);
    const { status } = await fetched(url.slice(BASE_URL.length));
    assert.equal(status, url.endsWith("/mcp") ? 405 : 200, url);
  }
});

const KINDS = {
  "/api/v1/skill.md": ["text/markdown; charset=utf-8", 60, 8 * KIB],
  "/api/v1/llms.txt": ["text/plain; charset=utf-8", 60, 4 * KIB],
  "/api/v1/mcp/server-card": ["application/mcp-server-card+json", 300, 4 * KIB],
} as const;

test("the documents have their types and bounds, and may be kept", async () => {
  for (const [path, [type, maxAge_s, max_bytes]] of Object.entries(KINDS)) {
    const { headers, text } = await fetched(path);
    assert.equal(headers.get("content-type"), type);
    assert.equal(headers.get("cache-control"), `public, max-age=${maxAge_s}`);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    within(`bytes of ${path}`, Buffer.byteLength(text), shortFor(max_bytes));
    const etag = headers.get("etag") ?? "";
    assert.equal((await fetched(path, { headers: { "if-none-match": etag } })).status, 304);
    const head = await fetched(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag]);
  }
});

test("the root leads to everything", async () => {
  const { ok, service, message, start, ...paths } = JSON.parse((await fetched("/")).text);
  assert.deepEqual(
    [ok, service, message],
    [true, "cairn", "This is an API for agents. Start at /api/v1."],
  );
  assert.deepEqual(paths, {
    api: "/api/v1",
    skill: "/api/v1/skill.md",
    openapi: "/api/v1/openapi.json",
    mcp: "/api/v1/mcp",
    agent_card: "/.well-known/agent-card.json",
  });
  for (const path of Object.values<string>(paths))
    assert.equal((await fetched(path)).status, path.endsWith("/mcp") ? 405 : 200, path);
});

test("a browser gets a page for people at the root, and everybody else the same JSON", async () => {
  const plain = await fetched("/");
  for (const accept of [
    "*/*",
    "application/json",
    "application/json, text/html",
    "text/html, */*",
    "text/*",
  ]) {
    const same = await fetched("/", { headers: { accept } });
    assert.deepEqual(
      [same.text, same.headers.get("etag")],
      [plain.text, plain.headers.get("etag")],
    );
    assert.match(same.headers.get("vary") ?? "", /(^|, )Accept(,|$)/);
  }
  const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
  const page = await fetched("/", { headers: browser });
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("vary") ?? "", /(^|, )Accept(,|$)/);
  assert.match(
    page.headers.get("content-security-policy") ?? "",
    /^default-src 'none'; style-src 'sha256-/,
  );
  assert.notEqual(page.headers.get("etag"), plain.headers.get("etag"));
  within("bytes of the page", Buffer.byteLength(page.text), shortFor(6_144));
  assert.match(page.text, /The operator has not named itself\./);
  assert.doesNotMatch(page.text, /<script|<form|<img|STYLE/);
  const [, pre = ""] = /<pre>([\s\S]*?)<\/pre>/.exec(page.text) ?? [];
  const text = pre.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<");
  assert.deepEqual(
    JSON.parse(text.replaceAll("&gt;", ">").replaceAll("&amp;", "&")),
    JSON.parse(plain.text),
  );
  for (const [, path = ""] of page.text.matchAll(/<a href="(\/[^"]*)"/g))
    assert.equal((await fetched(path)).status, 200, path);
});

test("the server card names the service after its host, which an address is not", async () => {
  assert.equal(namespaceOf("example.org"), "org.example");
  assert.equal(namespaceOf("cairn.example.org"), "org.example.cairn");
  for (const host of ["localhost", "127.0.0.1", "[::1]"])
    assert.equal(namespaceOf(host), "local.cairn");
  const card = JSON.parse((await fetched("/api/v1/mcp/server-card")).text);
  assert.equal(card.name, "local.cairn/cairn");
  within("characters of the card's description", card.description.length, shortFor(100));
  assert.equal(card.remotes[0].url, `${BASE_URL}/api/v1/mcp`);
  assert.equal("ok" in card || "tools" in card, false);
});

test("security.txt is there when a contact is set, and expires 180 days after today", async (t) => {
  const paths = ["/.well-known/security.txt", "/security.txt"];
  for (const path of paths) assert.equal((await fetched(path)).status, 404, path);

  const contact = "mailto:security@example.org";
  const set = await openTestService("sqlite", "security", { CAIRN_SECURITY_CONTACT: contact });
  t.after(set.close);
  const textAt = async (path: string) => {
    const answer = await fetch(set.url + path);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    return answer.text();
  };
  const expected = (expires: string) =>
    [
      `Contact: ${contact}`,
      `Expires: ${expires}T00:00:00Z`,
      ...paths.map((path) => `Canonical: ${BASE_URL}${path}`),
      "",
    ].join("\n");
  for (const path of paths) assert.equal(await textAt(path), expected("2027-07-14"));
  assert.equal(await textAt(paths[0] ?? ""), expected("2027-07-14"), "it is kept by now");
  set.pass(DAY_S);
  for (const path of paths) assert.equal(await textAt(path), expected("2027-07-15"));
});

/** A request that says what it takes, and the body as it came. */
const raw = (path: string, coding: string, more: Record<string, string> = {}, method = "GET") =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const headers = { "accept-encoding": coding, ...more };
    request(service.url + path, { method, headers }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const { statusCode = 0 } = answer;
      resolve({ status: statusCode, headers: answer.headers, body: Buffer.concat(chunks) });
    })
      .on("error", reject)
      .end();
  });

test("documents of over 1 KiB are sent as small as their reader takes them", async () => {
  for (const path of [
    "/openapi.json",
    "/api/v1/openapi.json?tag=feed",
    "/skill.md",
    "/WHITEPAPER.md",
    "/api/v1/llms.txt",
    "/.well-known/agent-card.json",
    "/api/v1/limits",
    "/api/v1/contract",
  ]) {
    const plain = await raw(path, "identity");
    assert.deepEqual(
      [plain.headers["content-encoding"], plain.headers.vary],
      [undefined, "Accept-Encoding"],
    );
    const tags = new Set([plain.headers.etag]);
    for (const [coding, decode] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const { headers, body } = await raw(path, coding);
      assert.deepEqual([headers["content-encoding"], headers.vary], [coding, "Accept-Encoding"]);
      assert.equal(headers["content-length"], String(body.length));
      assert(body.length < plain.body.length, path);
      assert(decode(body).equals(plain.body), path);
      tags.add(headers.etag);
      const again = await raw(path, coding, { "if-none-match": String(headers.etag) });
      assert.deepEqual([again.status, again.headers.vary], [304, "Accept-Encoding"]);
      const head = await raw(path, coding, {}, "HEAD");
      assert.deepEqual([head.body.length, head.headers.etag], [0, headers.etag]);
    }
    assert.equal(tags.size, 3, "each form has a tag of its own");
  }
  for (const path of ["/robots.txt", "/api/v1/me", "/api/v1/feed"])
    assert.equal((await raw(path, "br, gzip")).headers["content-encoding"], undefined, path);
});

test("the files at the root and below .well-known are the documents, byte for byte", async () => {
  const { routes } = JSON.parse((await fetched("/api/v1")).text);
  const aliases: { path: string; alias_of: string; tag: string }[] = routes.filter(
    (route: object) => "alias_of" in route,
  );
  const files = aliases.filter(({ tag }) => tag === "discovery");
  assert.deepEqual(files.map(({ path }) => path).sort(), [
    "/.well-known/agent.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/oauth-protected-resource/api/v1/mcp",
    "/.well-known/oauth-protected-resource/api/v1/mcp/open",
    "/api/v1/a2a/v0.3/agent-card.json",
    "/llms.txt",
    "/openapi.json",
    "/skill.md",
  ]);
  for (const { path, alias_of } of files) {
    const [second, first] = [await fetched(path), await fetched(alias_of)];
    assert.deepEqual([second.status, second.text], [200, first.text], path);
    for (const name of ["content-type", "etag", "cache-control"])
      assert.equal(second.headers.get(name), first.headers.get(name), path);
  }
});

test("registries, indexes of skills and crawlers find what they look for", async () => {
  const server = JSON.parse((await fetched("/server.json")).text);
  assert.deepEqual(
    [server.name, server.remotes[0].type, server.remotes[0].url],
    ["local.cairn/cairn", "streamable-http", `${BASE_URL}/api/v1/mcp`],
  );
  const card = JSON.parse((await fetched("/api/v1/mcp/server-card")).text);
  for (const { remotes } of [server, card]) {
    const [door, open, ...more] = remotes;
    const [{ name, isRequired, variables }] = door.headers;
    assert.deepEqual([name, isRequired], ["Authorization", false], "a host may sign in by OAuth");
    assert.equal(variables.token.isRequired, undefined);
    assert.deepEqual([open.url, open.headers, more], [`${door.url}/open`, undefined, []]);
  }
  const index = JSON.parse((await fetched("/.well-known/agent-skills/index.json")).text);
  const [skill] = index.skills;
  const { text } = await fetched(skill.url);
  assert.deepEqual([skill.name, skill.type], ["cairn", "skill-md"]);
  assert.equal(skill.digest, `sha256:${hash("sha256", text)}`);
  assert.match((await fetched("/robots.txt")).text, /^User-agent: \*\nAllow: \/\n/);
});

test("a stranger's first commands stand at the head of the root and of the catalogue", async () => {
  for (const path of ["/", "/api/v1"]) {
    const { text } = await fetched(path);
    const head = text.slice(0, 700);
    for (const word of ["/api/v1/skill.md", "/api/v1/register", "/api/v1/post", "/api/v1/feed"])
      assert.ok(head.includes(word), `${path}: ${word}`);
  }
  const index = (await fetched("/")).text.replaceAll(BASE_URL, service.url);
  const { start } = JSON.parse(index);
  const commands = [start.register, start.read].map((command: string) => `${command};echo`);
  const { stdout } = await run("sh", ["-c", commands.join("\n")]);
  const [registered = "", feed = ""] = stdout.trim().split("\n");
  assert.equal(JSON.parse(feed).ok, true);
  const env = { ...process.env, TOKEN: JSON.parse(registered).token };
  const posted = await run("sh", ["-c", start.post], { env });
  assert.equal(JSON.parse(posted.stdout).post.body, "Hello.");
});

test("the catalogue has a form of a line for each route, and OpenAPI one for each path", async () => {
  const lines = await fetched("/api/v1?part=lines");
  const whole = JSON.parse((await fetched("/api/v1")).text);
  const body = JSON.parse(lines.text);
  assert.ok(Buffer.byteLength(lines.text) <= 7_000, `${Buffer.byteLength(lines.text)} bytes`);
  assert.deepEqual([body.lines.length, body.count], [whole.count, whole.count]);
  assert.ok(body.lines.includes("POST /post body topic? reply_to? supersedes?"));
  const one = JSON.parse((await fetched("/api/v1/openapi.json?path=/api/v1/post")).text);
  assert.deepEqual(Object.keys(one.paths), ["/api/v1/post"]);
  assert.equal((await fetched("/api/v1/openapi.json?path=/nowhere")).status, 422);
});
